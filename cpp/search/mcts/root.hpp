// What is special about the root: noise in its priors, moves that are tried in turn, and a move that is drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/mathematics.hpp"
#include "core/rng.hpp"
#include "search/mcts/tree.hpp"

namespace spielbaum {

// A number in (0, 1).
inline double uniform(Rng& rng) { return (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1p-53; }

// exp(x_i), divided by their sum.
inline void softmax(std::vector<double>& numbers) {
    if (numbers.empty()) return;
    const double highest = *std::max_element(numbers.begin(), numbers.end());
    double sum = 0.0;
    for (double& number : numbers) sum += number = exponential(std::max(number - highest, -700.0));
    for (double& number : numbers) number /= sum;
}

// A number of the gamma distribution (Marsaglia and Tsang 2000), from normal ones by the polar method.
inline double gamma_sample(double shape, Rng& rng) {
    if (shape < 1.0) {
        const double lower = std::max(natural_log(uniform(rng)) / shape, -690.0);
        return gamma_sample(shape + 1.0, rng) * exponential(lower);
    }
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        double x, y, square;
        do {
            x = 2.0 * uniform(rng) - 1.0;
            y = 2.0 * uniform(rng) - 1.0;
            square = x * x + y * y;
        } while (square >= 1.0);
        x *= std::sqrt(-2.0 * natural_log(square) / square);
        const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if (v > 0.0 && natural_log(uniform(rng)) < 0.5 * x * x + d - d * v + d * natural_log(v)) return d * v;
    }
}

// Shares that sum to 1, by a symmetric Dirichlet distribution.
inline std::vector<double> dirichlet_sample(std::size_t count, double alpha, Rng& rng) {
    std::vector<double> shares(count);
    double sum = 0.0;
    for (double& share : shares) sum += share = gamma_sample(alpha, rng);
    for (double& share : shares) share = sum > 0.0 ? share / sum : 1.0 / static_cast<double>(count);
    return shares;
}

// An index, drawn by weight^(1 / temperature); weights are not negative, and one is positive.
inline std::size_t draw_by_power(const std::vector<double>& weights, double temperature, Rng& rng) {
    std::vector<double> powers;
    for (const double weight : weights) powers.push_back(weight > 0.0 ? natural_log(weight) / temperature : -1e300);
    softmax(powers);
    double left = uniform(rng);
    std::size_t last = 0;
    for (std::size_t i = 0; i < powers.size(); ++i) {
        if (weights[i] <= 0.0) continue;
        last = i;
        if ((left -= powers[i]) < 0.0) break;
    }
    return last;
}

// Planning with few iterations (Danihelka, Guez, Schrittwieser and Silver 2022): moves of the root are sampled without
// replacement by Gumbel noise on their priors, and half of them is dropped again and again, by noise, prior and value.
//
// A move's score is noise + ln prior + sigma(value), sigma(q) = (50 + most visits) (q + 1) / 2.
class SequentialHalving {
public:
    SequentialHalving(const Tree& tree, const Node& root, int considered, u64 iterations, Rng& rng)
        : first_(root.first_edge), turns_(turns(std::min<int>(considered, root.num_edges), iterations)) {
        for (Tree::Index i = 0; i < root.num_edges; ++i) {
            noise_.push_back(-natural_log(-natural_log(uniform(rng))));
            kept_.push_back(tree.edge(first_ + i).visits);
        }
    }

    // For each iteration, how often the move that it tries has been tried before: as long as all are in, everybody has
    // a turn, and then another half of them.
    static std::vector<std::uint32_t> turns(int considered, u64 iterations) {
        std::vector<std::uint32_t> plan;
        int rounds = 0;
        while ((1 << rounds) < considered) ++rounds;
        rounds = std::max(rounds, 1);
        std::uint32_t tried = 0;
        for (int in = considered; plan.size() < iterations; in = std::max(in / 2, std::min(2, considered))) {
            const u64 turns_each = std::max<u64>(1, iterations / (static_cast<u64>(rounds) * static_cast<u64>(in)));
            for (u64 turn = 0; turn < turns_each; ++turn, ++tried)
                plan.insert(plan.end(), static_cast<std::size_t>(in), tried);
        }
        plan.resize(iterations);
        return plan;
    }

    // The move that has its turn; nothing if proofs have upset the plan.
    std::optional<Tree::Index> next_edge(const Tree& tree, const Node& root) const {
        u64 iteration = 0;
        for (Tree::Index i = 0; i < noise_.size(); ++i) iteration += tried(tree, i);
        if (iteration >= turns_.size()) return std::nullopt;
        return best(tree, root, [&](Tree::Index i) { return tried(tree, i) == turns_[iteration]; });
    }
    // The best of those that were tried most.
    std::optional<Tree::Index> final_edge(const Tree& tree, const Node& root) const {
        std::uint32_t most = 0;
        for (Tree::Index i = 0; i < noise_.size(); ++i) most = std::max(most, tried(tree, i));
        return best(tree, root, [&](Tree::Index i) { return tried(tree, i) == most; });
    }
    // What a network should learn: softmax of ln prior + sigma(value).
    std::vector<double> improved_policy(const Tree& tree) const {
        std::vector<double> policy = scores(tree);
        for (std::size_t i = 0; i < policy.size(); ++i) policy[i] -= noise_[i];
        softmax(policy);
        return policy;
    }

private:
    static constexpr double kVisits = 50.0;

    std::uint32_t tried(const Tree& tree, Tree::Index i) const {
        const Edge& edge = tree.edge(first_ + i);
        return peek(edge.visits) + peek(edge.in_flight) - kept_[i];
    }
    // Moves that were never tried are taken to be worth the mean of the others, weighted by their priors.
    std::vector<double> scores(const Tree& tree) const {
        double most = 0.0, weight = 0.0, mean = 0.0;
        for (Tree::Index i = 0; i < noise_.size(); ++i) {
            const Edge& edge = tree.edge(first_ + i);
            if (edge.visits == 0) continue;
            most = std::max<double>(most, edge.visits);
            weight += static_cast<double>(tree.at<Prior>(first_ + i).share);
            mean += static_cast<double>(tree.at<Prior>(first_ + i).share) * edge.mean();
        }
        if (weight > 0.0) mean /= weight;
        std::vector<double> result;
        for (Tree::Index i = 0; i < noise_.size(); ++i) {
            const Edge& edge = tree.edge(first_ + i);
            const double value = edge.proof != Proof::unknown ? proven_value(edge.proof)
                                 : edge.visits == 0           ? mean
                                                              : edge.mean();
            const double prior = std::max(static_cast<double>(tree.at<Prior>(first_ + i).share), 1e-30);
            result.push_back(noise_[i] + natural_log(prior) + (kVisits + most) * (value + 1.0) / 2.0);
        }
        return result;
    }
    template <class Allowed>
    std::optional<Tree::Index> best(const Tree& tree, const Node&, Allowed&& allowed) const {
        const std::vector<double> all = scores(tree);
        std::optional<Tree::Index> found;
        double highest = 0.0;
        for (Tree::Index i = 0; i < all.size(); ++i) {
            if (!allowed(i) || tree.edge(first_ + i).proof == Proof::loss) continue;
            if (found && all[i] <= highest) continue;
            found = first_ + i;
            highest = all[i];
        }
        return found;
    }

    Tree::Index first_;
    std::vector<std::uint32_t> turns_;
    std::vector<double> noise_;
    std::vector<std::uint32_t> kept_;  // visits from earlier searches
};

}  // namespace spielbaum
