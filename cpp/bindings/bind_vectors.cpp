// Many games that are stepped together, into arrays of the caller.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings/any_vector.hpp"
#include "bindings/bindings.hpp"

namespace spielbaum {

namespace {

template <class T, std::size_t Dimensions>
using Array = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Actions = Array<const std::int32_t, 1>;

// The games, and the arrays into which they are shown: the games write there without asking Python again.
class VectorHandle {
public:
    VectorHandle(const GameHandle& game, int encoding, std::optional<Array<float, 4>> planes, Array<bool, 2> legal,
                 Array<float, 2> rewards, Array<bool, 1> over, Array<std::int32_t, 1> to_move)
        : planes_(std::move(planes)),
          legal_(std::move(legal)),
          rewards_(std::move(rewards)),
          over_(std::move(over)),
          to_move_(std::move(to_move)) {
        check_range("encoding", encoding, -1, static_cast<int>(game->encodings().size()) - 1);
        check_shapes(*game.game, encoding);
        games_ = game->make_vector(count(), encoding);
    }

    std::size_t count() const { return over_.shape(0); }
    void reset() {
        const Turn turn(busy_);
        run_released(*games_->game(), [&](const Poll& poll) { games_->reset(arrays(), poll); });
    }
    void step(const Actions& actions) {
        check(actions.shape(0) == count(), "actions");
        const Turn turn(busy_);
        run_released(*games_->game(), [&](const Poll& poll) { games_->step(actions.data(), arrays(), poll); });
    }
    void draw(Rng& rng, const Array<std::int32_t, 1>& actions) {
        check(actions.shape(0) == count(), "actions");
        const Turn turn(busy_);
        run_released(*games_->game(), [&](const Poll&) { games_->draw(rng, actions.data()); });
    }
    StateHandle state(std::size_t index) {
        check(index < count(), "index");
        const Turn turn(busy_);
        return {games_->state(index)};
    }

private:
    // One thread at a time; another one may not wait, for it may hold the GIL that the first one needs.
    class Turn {
    public:
        explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
            if (busy_.exchange(true)) throw std::runtime_error("these games are being stepped by another thread");
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() { busy_ = false; }

    private:
        std::atomic<bool>& busy_;
    };

    // The package checks shapes, and says more about them; here nothing may be written beside an array.
    static void check(bool fits, const char* name) {
        if (!fits) throw nb::value_error((std::string(name) + " has another shape than the games need").c_str());
    }
    void check_shapes(const AnyGame& game, int encoding) const {
        const auto size = [](int number) { return static_cast<std::size_t>(number); };
        check(legal_.shape(0) == count() && legal_.shape(1) == size(game.num_actions()), "legal");
        check(rewards_.shape(0) == count() && rewards_.shape(1) == size(game.num_players()), "rewards");
        check(to_move_.shape(0) == count(), "to_move");
        check(planes_.has_value() == (encoding >= 0), "planes");
        if (!planes_) return;
        const Shape shape = game.encodings()[size(encoding)].shape;
        check(planes_->shape(0) == count() && planes_->shape(1) == size(shape.planes) &&
                  planes_->shape(2) == size(shape.rows) && planes_->shape(3) == size(shape.columns),
              "planes");
    }
    VectorArrays arrays() const {
        return {planes_ ? planes_->data() : nullptr, legal_.data(), rewards_.data(), over_.data(), to_move_.data()};
    }

    std::optional<Array<float, 4>> planes_;
    Array<bool, 2> legal_;
    Array<float, 2> rewards_;
    Array<bool, 1> over_;
    Array<std::int32_t, 1> to_move_;
    std::unique_ptr<AnyVector> games_;
    std::atomic<bool> busy_ = false;
};

}  // namespace

void bind_vectors(nb::module_& module) {
    nb::class_<VectorHandle>(module, "VectorGame", "Games that are stepped together, into the caller's arrays.")
        .def(nb::init<const GameHandle&, int, std::optional<Array<float, 4>>, Array<bool, 2>, Array<float, 2>,
                      Array<bool, 1>, Array<std::int32_t, 1>>(),
             nb::arg("game"), nb::arg("encoding"), nb::arg("planes").none(), nb::arg("legal").noconvert(),
             nb::arg("rewards").noconvert(), nb::arg("over").noconvert(), nb::arg("to_move").noconvert())
        .def("reset", &VectorHandle::reset)
        .def("step", &VectorHandle::step, nb::arg("actions"))
        .def("draw", &VectorHandle::draw, nb::arg("rng"), nb::arg("actions").noconvert())
        .def("state", &VectorHandle::state, nb::arg("index"));
}

}  // namespace spielbaum
