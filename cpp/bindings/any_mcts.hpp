// Monte-Carlo tree search of a game that is known only at run time.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include "bindings/typed_game.hpp"
#include "search/mcts/root_parallel.hpp"

namespace spielbaum {

struct AnyMctsMove {
    int action;
    std::uint32_t visits;
    double value;
    Proof proof;
    double prior, policy;
    std::vector<int> line;
};

struct AnyMctsResult {
    u64 iterations = 0;
    double value = 0.0;
    Proof proof = Proof::unknown;
    std::vector<AnyMctsMove> moves;
    std::size_t nodes = 0, bytes = 0;
    bool full = false;
    u64 kept = 0;
    double seconds = 0.0;
};

// Rows of a batch that a network evaluates: planes of a leaf, and whether each action is legal. The network answers a
// value for each player in turn order from the side to move, or only for the side to move of two, and a logit for each
// action.
struct BatchRows {
    float* planes;
    std::size_t row_size;  // numbers in the planes of a row
    bool* legal;
    int rows;
};
struct BatchAnswers {
    const float* values;
    int values_per_row;
    const float* logits;
};

class AnyMcts {
public:
    using Report = std::function<void(const AnyMctsResult&)>;
    virtual ~AnyMcts() = default;
    virtual AnyMctsResult search(const AnyState& state, SearchControl& control, const Report& report) = 0;
    virtual void reset(u64 seed) = 0;
    virtual std::vector<MctsTreeRow> tree(std::size_t most) const = 0;

    // The same in steps, with leaves that are evaluated elsewhere.
    // `history`: so many positions before a leaf are shown, too.
    virtual void begin(const AnyState& state, u64 iterations, int history) = 0;
    virtual bool done() const = 0;
    // Writes leaves that wait for an evaluation in one of the game's encodings; answers how many rows were written.
    virtual int collect(int encoding, BatchRows batch, SearchControl& control) = 0;
    virtual void apply(BatchAnswers answers) = 0;
    virtual void cancel() = 0;
    virtual AnyMctsResult so_far() const = 0;
    virtual AnyMctsResult finish() = 0;
};
using MctsPtr = std::unique_ptr<AnyMcts>;

template <Game G, class Evaluation>
class TypedMcts final : public AnyMcts {
public:
    TypedMcts(const G& game, const MctsOptions& options, u64 seed)
        : game_(game), average_(options.average), batch_(options.leaves()) {
        if (options.threads > 1 && options.parallel == ParallelRule::root)
            search_ = std::make_unique<RootParallelMcts<G, Evaluation>>(game, options, seed);
        else
            search_ = std::make_unique<Mcts<G, Evaluation>>(game, options, seed);
    }

    AnyMctsResult search(const AnyState& state, SearchControl& control, const Report& report) override {
        const auto& typed = dynamic_cast<const TypedState<G>&>(state);
        return std::visit(
            [&](auto& search) {
                typename Mcts<G, Evaluation>::Report pass_on;
                if (report)
                    pass_on = [&](const MctsResult& found) {
                        report(translated(found, typed.state(), control.seconds()));
                    };
                const MctsResult found = search->search(typed.state(), typed.path(), control, pass_on);
                return translated(found, typed.state(), control.seconds());
            },
            search_);
    }
    void reset(u64 seed) override {
        std::visit([&](auto& search) { search->reset(seed); }, search_);
    }

    std::vector<MctsTreeRow> tree(std::size_t most) const override {
        return std::visit([&](const auto& search) { return search->tree(most); }, search_);
    }

    void begin(const AnyState& state, u64 iterations, int history) override {
        const auto& typed = dynamic_cast<const TypedState<G>&>(state);
        root_ = typed.state();
        history_ = history;
        std::vector<typename Search::Earlier> before;
        for (const AnyState* earlier = state.parent().get(); earlier && static_cast<int>(before.size()) < history;
             earlier = earlier->parent().get()) {
            const auto& one_before = dynamic_cast<const TypedState<G>&>(*earlier);
            before.push_back({one_before.state(), one_before.path()});
        }
        one().begin(typed.state(), typed.path(), iterations, std::move(before));
    }
    bool done() const override { return std::get<0>(search_)->done(); }
    int collect(int encoding, BatchRows batch, SearchControl& control) override {
        const auto [num_planes, height, width] = game_.encodings()[static_cast<std::size_t>(encoding)].shape;
        const auto size =
            static_cast<std::size_t>(num_planes) * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
        const auto positions = static_cast<std::size_t>(history_) + 1;
        if (batch.row_size != positions * size)
            throw std::invalid_argument("the batch has other planes than the search writes");
        const int leaves = one().collect(std::min(batch_, batch.rows / images()), control);
        const auto num_actions = static_cast<std::size_t>(game_.num_actions());
        std::vector<Move> moves(static_cast<std::size_t>(game_.max_moves()));
        for (int i = 0; i < leaves; ++i) {
            const auto& state = one().leaf_state(i);
            const int count = game_.legal_moves(state, moves.data());
            const auto before =
                history_ == 0 ? std::vector<typename Search::Earlier>{} : one().before_leaf(i, positions - 1);
            for (int image = 0; image < images(); ++image, batch.planes += batch.row_size, batch.legal += num_actions) {
                const auto write = [&](const auto& position, const Path& path, std::size_t place) {
                    game_.write_planes(image == 0 ? position : game_.transform(position, image), path, encoding,
                                       batch.planes + place * size);
                };
                write(state, one().leaf_path(i), 0);
                for (std::size_t k = 0; k < before.size(); ++k) write(before[k].state, before[k].path, k + 1);
                std::fill(batch.planes + (before.size() + 1) * size, batch.planes + batch.row_size,
                          0.0f);  // before the game began
                std::fill_n(batch.legal, num_actions, false);
                for (int k = 0; k < count; ++k) {
                    const int action = game_.action(state, moves[static_cast<std::size_t>(k)]);
                    batch.legal[game_.transform_action(action, image)] = true;
                }
            }
        }
        waiting_ = leaves;
        return leaves * images();
    }
    // Values and logits of a leaf's images are averaged.
    void apply(BatchAnswers answers) override {
        const auto num_actions = static_cast<std::size_t>(game_.num_actions());
        std::vector<Rewards> values(static_cast<std::size_t>(waiting_), Rewards{});
        std::vector<std::vector<float>> logits(static_cast<std::size_t>(waiting_),
                                               std::vector<float>(num_actions, 0.0f));
        const float share = 1.0f / static_cast<float>(images());
        for (std::size_t i = 0; i < values.size(); ++i)
            for (int image = 0; image < images(); ++image) {
                for (int k = 0; k < answers.values_per_row; ++k)
                    values[i][static_cast<std::size_t>(k)] += static_cast<double>(share * answers.values[k]);
                for (std::size_t action = 0; action < num_actions; ++action)
                    logits[i][action] +=
                        share * answers.logits[game_.transform_action(static_cast<int>(action), image)];
                answers.values += answers.values_per_row;
                answers.logits += num_actions;
            }
        for (Rewards& rewards : values) {
            if (answers.values_per_row == 1) rewards[1] = -rewards[0];
            for (double& reward : rewards) reward = std::clamp(reward, -1.0, 1.0);
        }
        one().apply(values, logits);
        waiting_ = 0;
    }
    void cancel() override {
        one().cancel();
        waiting_ = 0;
    }
    AnyMctsResult so_far() const override { return translated(std::get<0>(search_)->so_far(), *root_, 0.0); }
    AnyMctsResult finish() override { return translated(one().finish(), *root_, 0.0); }

private:
    using Search = Mcts<G, Evaluation>;

    Search& one() { return *std::get<0>(search_); }
    int images() const { return average_ ? game_.num_symmetries() : 1; }

    AnyMctsResult translated(const MctsResult& found, const typename G::State& root, double seconds) const {
        AnyMctsResult result{found.iterations, found.value, found.proof, {},     found.nodes,
                             found.bytes,      found.full,  found.kept,  seconds};
        for (const MctsMove& move : found.moves)
            result.moves.push_back({game_.action(root, move.move), move.visits, move.value(), move.proof, move.prior,
                                    move.policy, actions(root, move.line)});
        return result;
    }
    std::vector<int> actions(typename G::State state, const std::vector<Move>& line) const {
        std::vector<int> result;
        for (const Move move : line) {
            result.push_back(game_.action(state, move));
            game_.play(state, move);
        }
        return result;
    }

    G game_;
    bool average_;
    int batch_;
    std::variant<std::unique_ptr<Search>, std::unique_ptr<RootParallelMcts<G, Evaluation>>> search_;
    std::optional<typename G::State> root_;
    int waiting_ = 0;
    int history_ = 0;
};

}  // namespace spielbaum
