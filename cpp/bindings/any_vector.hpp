// Many games that are stepped together, of a game that is known only at run time.
#pragma once

#include <memory>

#include "bindings/any_game.hpp"
#include "core/vector_game.hpp"

namespace spielbaum {

class AnyVector {
public:
    explicit AnyVector(GamePtr game) : game_(std::move(game)) {}
    virtual ~AnyVector() = default;
    const GamePtr& game() const { return game_; }

    virtual void reset(const VectorArrays& out, const Poll& poll) = 0;
    virtual void step(const std::int32_t* actions, const VectorArrays& out, const Poll& poll) = 0;
    virtual void draw(Rng& rng, std::int32_t* actions) = 0;
    virtual StatePtr state(std::size_t index) const = 0;  // starts a path of its own

private:
    GamePtr game_;
};

// `make(state)` turns a state of the rules into one for Python.
template <Game G, class MakeState>
class TypedVector final : public AnyVector {
public:
    TypedVector(GamePtr game, const G& rules, std::size_t count, int encoding, MakeState make)
        : AnyVector(std::move(game)), games_(rules, count, encoding), make_(std::move(make)) {}

    void reset(const VectorArrays& out, const Poll& poll) override { games_.reset(out, poll); }
    void step(const std::int32_t* actions, const VectorArrays& out, const Poll& poll) override {
        games_.step(actions, out, poll);
    }
    void draw(Rng& rng, std::int32_t* actions) override { games_.draw(rng, actions); }
    StatePtr state(std::size_t index) const override { return make_(games_.state(index)); }

private:
    VectorGame<G> games_;
    MakeState make_;
};

}  // namespace spielbaum
