"""One step of learning, against the same sums by hand."""

import numpy as np
import pytest
import torch

import spielbaum as sb
from spielbaum.models.inputs import Symmetries
from spielbaum.train.data.samples import Samples
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.towers import make_net
from spielbaum.train.nets.training import (
    Batch,
    LossWeights,
    make_batch,
    make_optimizer,
    policy_loss,
    set_learning_rate,
    squared_weights,
    step,
)

TICTACTOE = sb.game("tictactoe")


pytestmark = pytest.mark.usefixtures("one_thread")


def network(**changes):
    torch.manual_seed(3)
    return make_net(TICTACTOE, NetConfig(kind="dense", blocks=1, width=8, **changes))


def samples_of(*notations):
    states = [TICTACTOE.state(each) for each in notations]
    most = max(len(state.legal_moves) for state in states)
    actions = np.full((len(states), most), -1, np.int32)
    policy = np.zeros((len(states), most), np.float16)
    for row, state in enumerate(states):
        count = len(state.legal_moves)
        actions[row, :count] = state.legal_moves
        policy[row, :count] = np.arange(count) / sum(range(count))
    return Samples(
        np.stack([state.planes() for state in states]).astype(np.float16),
        actions,
        policy,
        np.linspace(-1, 0.5, len(states), dtype=np.float32)[:, np.newaxis],
        np.array([1.0, 0.0, 3.0, 1.0][: len(states)], np.float32),
    )


SAMPLES = samples_of("", "b2", "a1 b2", "a1 b2 c3")


def batch():
    return make_batch(SAMPLES, np.arange(4), None, np.random.default_rng(1))


# ---- losses ----
def by_hand(logits, rows, weights):
    """Cross-entropies over legal moves, weighed."""
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        actions = SAMPLES.actions[row]
        own = logits[row][actions[actions >= 0]]
        chances = np.exp(own - own.max()) / np.exp(own - own.max()).sum()
        total -= weight * (SAMPLES.policy[row][actions >= 0] * np.log(chances)).sum()
    return total


def test_the_policy_loss_is_the_cross_entropy_of_legal_moves():
    logits = torch.randn(4, 9, generator=torch.Generator().manual_seed(2))
    expected = by_hand(logits.numpy().astype(float), range(4), [1, 0, 3, 1]) / 5
    assert policy_loss(logits, batch()).item() == pytest.approx(expected, rel=1e-3)
    raised = logits.clone()
    raised[3, 4] += 100.0  # b2, which is taken
    assert policy_loss(raised, batch()).item() == pytest.approx(expected, rel=1e-3)


def test_few_policies_are_not_blown_up():
    whole = batch()
    logits = torch.randn(4, 9, generator=torch.Generator().manual_seed(2))
    light = Batch(whole.planes, whole.actions, whole.policy, whole.values, whole.policy_weight / 10)
    # Weights that add up to less than one are not divided by their sum.
    assert policy_loss(logits, light).item() == pytest.approx(
        policy_loss(logits, whole).item() * 5 / 10, rel=1e-3
    )


def test_only_weights_of_layers_are_regularised():
    net = network()
    expected = sum(
        float((each.detach().numpy() ** 2).sum()) for each in net.parameters() if each.dim() > 1
    )
    assert squared_weights(net).item() == pytest.approx(expected, rel=1e-5)
    assert any(each.dim() == 1 for each in net.parameters())


@pytest.mark.parametrize("target", ["raw", "normalised"])
def test_a_step_tells_each_loss_with_its_weight(target):
    net = network(batch_norm=False, target=target)
    with torch.no_grad():
        values, logits = net(batch().planes)
    targets = SAMPLES.values if target == "raw" else (SAMPLES.values + 1) / 2
    policy = by_hand(logits.numpy().astype(float), range(4), [1, 0, 3, 1]) / 5
    squares = squared_weights(net).item()
    optimizer = make_optimizer(net, "sgd", 1e-9)
    found = step(net, optimizer, batch(), LossWeights(0.25, 3.0, 0.01), 5.0)
    assert found.policy == pytest.approx(0.25 * policy, rel=1e-3)
    assert found.value == pytest.approx(3.0 * np.mean((values.numpy() - targets) ** 2), rel=1e-3)
    assert found.regularisation == pytest.approx(0.01 * squares, rel=1e-3)
    assert found.total == pytest.approx(found.policy + found.value + found.regularisation)


def copy_of(net):
    return [each.detach().clone().numpy() for each in net.parameters()]


def moved(net, before):
    """How far its weights have come."""
    squares = [((one - other) ** 2).sum() for one, other in zip(copy_of(net), before, strict=True)]
    return float(np.sqrt(sum(squares)))


def test_long_gradients_are_shortened():
    distances = []
    for clip_norm in (1e-3, 2e-3, 1e9):
        net = network(batch_norm=False)
        before = copy_of(net)
        step(net, make_optimizer(net, "sgd", 1.0), batch(), LossWeights(1.0, 1.0, 1e-3), clip_norm)
        distances.append(moved(net, before))
    assert distances[0] == pytest.approx(1e-3, rel=1e-2)
    assert distances[1] == pytest.approx(2e-3, rel=1e-2)
    assert distances[2] > 0.01


def test_gradients_do_not_add_up_over_steps():
    one, two = network(batch_norm=False), network(batch_norm=False)
    for net, steps in ((one, 1), (two, 2)):
        optimizer = make_optimizer(net, "sgd", 1e-4, (0.0, 0.0))
        before = copy_of(net)
        for _ in range(steps):
            step(net, optimizer, batch(), LossWeights(1.0, 1.0, 0.0), 1e9)
        distance = moved(net, before)
        if net is one:
            single = distance
    assert distance == pytest.approx(2 * single, rel=0.02)


def test_steps_train_and_each_loss_falls():
    for weights in (LossWeights(1.0, 0.0, 0.0), LossWeights(0.0, 1.0, 0.0)):
        net = network(dropout=0.5)
        net.eval()
        optimizer = make_optimizer(net, "adam", 0.01)
        first = step(net, optimizer, batch(), weights, 5.0)
        assert net.training  # dropout and batch normalisation as in training
        for _ in range(30):
            last = step(net, optimizer, batch(), weights, 5.0)
        assert last.total < 0.9 * first.total


# ---- batches ----
def test_batches_have_the_rows_that_are_asked_for():
    found = make_batch(SAMPLES, np.array([2, 0]), None, np.random.default_rng(1))
    assert found.planes.dtype == torch.float32
    assert found.policy.dtype == torch.float32
    assert found.actions.dtype == torch.int64
    assert found.planes.numpy().tolist() == SAMPLES.planes[[2, 0]].tolist()
    assert found.actions.numpy().tolist() == SAMPLES.actions[[2, 0]].tolist()
    assert found.policy_weight.tolist() == [3.0, 1.0]
    assert found.values.numpy().tolist() == SAMPLES.values[[2, 0]].tolist()


def test_images_show_the_same_position():
    symmetries = Symmetries(TICTACTOE, "own")
    rows = np.full(40, 3)
    found = make_batch(SAMPLES, rows, symmetries, np.random.default_rng(1))
    assert len({planes.numpy().tobytes() for planes in found.planes}) > 1
    images = [each.state for each in TICTACTOE.state("a1 b2 c3").symmetries()]
    legal = {image.planes().tobytes(): set(image.legal_moves) for image in images}
    for planes, actions in zip(found.planes.numpy(), found.actions.numpy(), strict=True):
        assert set(actions[actions >= 0].tolist()) == legal[planes.tobytes()]


# ---- optimizers and learning rates ----
def test_optimizers():
    net = network()
    adam = make_optimizer(net, "adam", 0.125)
    assert isinstance(adam, torch.optim.Adam)
    assert adam.defaults["lr"] == 0.125
    assert adam.defaults["betas"] == (0.9, 0.999)
    assert make_optimizer(net, "adam", 0.1, (0.5, 0.6)).defaults["betas"] == (0.5, 0.6)
    sgd = make_optimizer(net, "sgd", 0.25, (0.7, 0.8))
    assert isinstance(sgd, torch.optim.SGD)
    assert (sgd.defaults["lr"], sgd.defaults["momentum"]) == (0.25, 0.7)


def test_the_learning_rate_falls_as_a_half_cosine():
    optimizer = make_optimizer(network(), "adam", 1.0)

    def rate(final, done):
        told = set_learning_rate(optimizer, 1.0, final, done)
        assert [group["lr"] for group in optimizer.param_groups] == [told]
        return told

    assert rate(0.2, 0.0) == pytest.approx(1.0)
    assert rate(0.2, 1 / 3) == pytest.approx(0.2 + 0.8 * 0.75)
    assert rate(0.2, 0.5) == pytest.approx(0.6)
    assert rate(0.2, 1.0) == pytest.approx(0.2)
    assert rate(0.2, 1.5) == pytest.approx(0.2)  # it does not rise again
    assert rate(0.0, 0.9) == 1.0  # none is given: it stays
