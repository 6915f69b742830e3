"""Files of neural networks: nothing in them is trusted, and what is wrong is said in a sentence."""

import json
import os
import random
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper

import spielbaum as sb
from commands import assert_one_clear_line
from spielbaum.base.errors import ModelError
from spielbaum.models import evaluator, onnx_file
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.inputs import random_states
from spielbaum.models.onnx_file import header_entry, read_net, with_training
from spielbaum.models.onnx_graph import OPSET
from spielbaum.models.onnx_shapes import Node, infer_shapes
from spielbaum.models.protobuf import field as written_field
from spielbaum.train.nets.checkpoints import load_checkpoint, save_checkpoint
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.onnx_export import net_bytes, save_net
from spielbaum.train.nets.onnx_weights import take_weights
from spielbaum.train.nets.towers import make_net

SOURCES = Path(onnx_file.__file__).parents[1]


@pytest.fixture(scope="module")
def content():
    torch.manual_seed(1)
    game = sb.game("tictactoe")
    return net_bytes(make_net(game, NetConfig(blocks=1, width=4)), game, {"games": 3})


@pytest.fixture
def file(tmp_path, content):
    path = tmp_path / "a.onnx"
    path.write_bytes(content)
    return path


def refused(path, what):
    with pytest.raises(ModelError, match=what) as caught:
        read_net(path)
    assert len(str(caught.value).splitlines()) == 1


def changed(content, change):
    """The file with a changed model and a right checksum, as an enemy would write it."""
    model = onnx.load_from_string(content)
    header = json.loads(model.metadata_props[0].value)
    del model.metadata_props[:]
    change(model, header)
    written = model.SerializeToString()
    graph = onnx_file.graph_bytes(written)
    header["sha256"] = onnx_file.hashlib.sha256(graph).hexdigest()
    return written + header_entry(header)


def test_a_whole_file(file, content):
    net = read_net(file)
    assert (str(net.game), net.encoding, net.values, net.has_policy) == (
        "tictactoe",
        "own",
        1,
        True,
    )
    assert net.training == {"games": 3}
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    file.write_bytes(with_training(net, {"games": 4}))
    assert read_net(file).training == {"games": 4}


def test_truncated_files(file, content):
    for size in [0, 1, 10, *range(50, len(content), 97), len(content) - 1]:
        file.write_bytes(content[:size])
        refused(file, "no network of Spielbaum")


def test_random_bytes(file):
    for seed in range(50):
        file.write_bytes(random.Random(seed).randbytes(seed * 20))
        refused(file, "no network of Spielbaum|do not have|another file")


def test_flipped_bits(file, content):
    rng = random.Random(4)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged)
        try:
            net = read_net(file)
        except ModelError:
            continue
        # Only where it means nothing: the producer's name, or the account of the training.
        assert onnx_file.graph_bytes(net.content) == onnx_file.graph_bytes(content)


def test_external_data(file, content):
    def point_elsewhere(model, header):
        tensor = model.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="/etc/passwd")

    file.write_bytes(changed(content, point_elsewhere))
    refused(file, "lie in another file, which is never read")


def with_node(model, *arguments, **attributes):
    model.graph.node.append(helper.make_node(*arguments, **attributes))


def test_other_operations(file, content):
    file.write_bytes(changed(content, lambda model, _: with_node(model, "Loop", ["planes"], ["y"])))
    refused(file, "it has the operation 'Loop', which networks of Spielbaum do not have")
    file.write_bytes(
        changed(
            content,
            lambda model, _: with_node(model, "Relu", ["planes"], ["y"], domain="com.microsoft"),
        )
    )
    refused(file, "not ONNX's own")


def test_memory_bombs(file, content):
    def pad(model, header):
        convolution = next(node for node in model.graph.node if node.op_type == "Conv")
        for attribute in convolution.attribute:
            if attribute.name == "pads":
                attribute.ints[:] = [1_000_000] * 4

    file.write_bytes(changed(content, pad))
    refused(file, "a number in pads that is larger than it can be")


def test_sums_that_spread(file, content):
    """An Add of [K, 1] and [1, K], and what its result could be made of."""

    def spread(first, second):
        def change(model, header):
            for name, shape in (("k1", (30_000, 1)), ("k2", (1, 30_000))):
                array = np.ones(shape, np.float32)
                model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
            with_node(model, "Add", [first, second], ["wide"])

        return change

    file.write_bytes(changed(content, spread("k1", "k2")))
    refused(file, "the operation Add does not have the inputs that it should have")
    file.write_bytes(changed(content, spread("planes", "k1")))
    refused(file, "different sizes")


def test_what_takes_much_memory_for_a_position(file, content):
    def widen(model, header):
        array = np.ones((10_000, 3, 1, 1), np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, "k"))
        with_node(model, "Conv", ["planes", "k"], ["wide"], pads=[60] * 4)

    file.write_bytes(changed(content, widen))
    refused(file, "its results would take more than 128 MB for a position")


@pytest.mark.parametrize("dims", [[2**40, 2**40], [0, 9], [-1, 9], [9], [1] * 5])
def test_weights_that_lie_about_their_sizes(file, content, dims):
    def lie(model, header):
        model.graph.initializer[0].dims[:] = dims

    file.write_bytes(changed(content, lie))
    refused(file, "its weights (have sizes|are not as many)")


def test_fields_that_come_twice(file, content):
    """Readers may differ in which of both they take."""
    graph = onnx_file.graph_bytes(content)
    header = json.loads(onnx.load_from_string(content).metadata_props[0].value)
    start = onnx.load_from_string(content)
    del start.metadata_props[:]
    start.ClearField("graph")
    twice = graph + written_field(2, b"another name")  # the name of a graph
    header["sha256"] = onnx_file.hashlib.sha256(twice).hexdigest()
    model = start.SerializeToString() + written_field(7, twice)
    file.write_bytes(model + header_entry(header))
    refused(file, "damaged, or no network")


def random_node(rng):
    """An operation with random attributes, and the weights that it needs."""
    channels, rows, columns = rng.randint(1, 4) * 2, rng.randint(3, 9), rng.randint(3, 9)
    kernel = [rng.randint(1, 3), rng.randint(1, 3)]
    window = {
        "kernel_shape": kernel,
        "strides": [rng.randint(1, 3), rng.randint(1, 3)],
        "pads": [rng.randrange(kernel[index % 2]) for index in range(4)],
    }
    kind = rng.choice(("Conv", "MaxPool", "Sigmoid", "Transpose", "Flatten", "Mul", "LeakyRelu"))
    weights, attributes, planes = {}, {}, (channels, rows, columns)
    if kind == "Conv":
        group = rng.choice((1, 2))
        attributes = {**window, "group": group, "dilations": [rng.randint(1, 2)] * 2}
        weights = {"w": (4, channels // group, *kernel), "b": (4,)}
        planes = (channels, rows + 3, columns + 3)
    elif kind == "MaxPool":
        attributes = window
    elif kind == "Transpose":
        attributes = {"perm": [0, *rng.sample([1, 2, 3], 3)]}
    elif kind == "Mul":
        weights = {"w": rng.choice(((1,), (columns,), (channels, 1, 1), (1, 1, rows, 1), ()))}
    elif kind == "Flatten":
        attributes = {"axis": 1}
    return kind, planes, weights, attributes


def test_shapes_are_those_of_the_runtime():
    """ONNX Runtime computes what was foretold, for random operations."""
    rng = random.Random(1)
    for _ in range(60):
        kind, planes, weights, attributes = random_node(rng)
        lists = {name: tuple(v) if isinstance(v, list) else v for name, v in attributes.items()}
        node = Node(kind, ["planes", *weights], ["y"], lists)
        expected = infer_shapes(planes, weights, [node]).rows["y"]
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            [helper.make_node(kind, ["planes", *weights], ["y"], **attributes)],
            "one",
            [value("planes", TensorProto.FLOAT, ["batch", *planes])],
            [value("y", TensorProto.FLOAT, None)],
            [
                onnx.numpy_helper.from_array(np.ones(shape, np.float32), name)
                for name, shape in weights.items()
            ],
        )
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, ir_version=8, opset_imports=opset)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        (found,) = session.run(None, {"planes": np.ones((2, *planes), np.float32)})
        assert found.shape == (2, *expected), (kind, planes, weights, attributes)


def test_large_batches_are_run_in_parts(file, monkeypatch):
    net = read_net(file)
    states = random_states(sb.game("tictactoe"), 50)
    whole = NetEvaluator(net).evaluate_states(states)
    monkeypatch.setattr(evaluator, "MOST_MEMORY", 7 * net.row_bytes)
    parts = NetEvaluator(net).evaluate_states(states)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(
    "attributes",
    [
        {"kernel_shape": [2, 1 << 40]},
        {"kernel_shape": [2, 2], "strides": [1 << 40, 1]},
        {"kernel_shape": [2, 2], "pads": [0, 0, 100_000, 0]},
        {"kernel_shape": [2, 2], "pads": [-1, 0, 0, 0]},
        {"kernel_shape": [2, 2], "dilations": [65, 1]},
    ],
)
def test_numbers_of_pooling_have_limits(file, content, attributes):
    def pool(model, header):
        with_node(model, "MaxPool", ["planes"], ["y"], **attributes)

    file.write_bytes(changed(content, pool))
    refused(file, "that is larger than it can be")


def test_pooling_and_sigmoid_units_are_networks_of_spielbaum(file):
    game = sb.game("tictactoe")
    config = NetConfig(kind="conv", blocks=1, width=4, pool=2, activation="sigmoid", dropout=0.5)
    save_net(make_net(game, config), game, file, {})
    read_net(file)
    model = onnx.load(file)
    onnx.checker.check_model(model, full_check=True)
    assert {"MaxPool", "Sigmoid"} <= {node.op_type for node in model.graph.node}
    other = changed(file.read_bytes(), lambda model, _: average(model))
    file.write_bytes(other)
    refused(file, "it has the operation 'AveragePool'")


def average(model):
    next(node for node in model.graph.node if node.op_type == "MaxPool").op_type = "AveragePool"


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("format", "spielbaum net 99", "of another version"),
        ("game", "connect4", "its shapes .* are not those of a network for connect4"),
        ("game", "nosuch", "there is no game"),
        ("game", 5, "no usable game"),
        ("encoding", "s4", "no usable encoding"),
        ("history", 2, "are not those"),
        ("history", True, "no usable history"),
        ("values", 3, "are not those"),
    ],
)
def test_headers_that_lie(file, content, key, value, what):
    file.write_bytes(changed(content, lambda model, header: header.update({key: value})))
    refused(file, what)


def test_wrong_shapes(file, content):
    def widen(model, header):
        model.graph.output[1].type.tensor_type.shape.dim[1].dim_value = 7

    file.write_bytes(changed(content, widen))
    refused(file, "its output 'logits' is 9, and said to be 7")


def test_weights_that_do_not_fit_each_other(file, content):
    """What does not fit is told in one sentence, before ONNX Runtime sees it."""

    def cut(model, header):
        tensor = model.graph.initializer[0]
        array = onnx.numpy_helper.to_array(tensor)[:1]
        tensor.CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))

    file.write_bytes(changed(content, cut))

    def play():
        state = sb.game("tictactoe").initial()
        return sb.agent(f"net:{file}").choose(state, sb.Budget(iterations=5))

    with pytest.raises(ModelError) as caught:
        play()
    assert len(str(caught.value).splitlines()) == 1


def test_a_network_of_another_game(file):
    agent = sb.agent(f"net:{file}")
    with pytest.raises(ModelError, match="the network is for tictactoe, not for connect4"):
        agent.choose(sb.game("connect4").initial(), sb.Budget(iterations=5))


def test_no_files(tmp_path):
    refused(tmp_path, "it is not a file")
    refused(tmp_path / "none", "No such file")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "it is not a file")
    with pytest.raises(sb.SpecError, match="needs the file of a network"):
        sb.agent("net")


def test_command_line(cli, file, content):
    file.write_bytes(content[:-5])
    ran = cli("analyse", "tictactoe", "--agent", f"net:{file}")
    assert_one_clear_line(ran)


def test_checkpoints_that_are_none(tmp_path):
    path, net = tmp_path / "a.safetensors", torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters())
    save_checkpoint(path, net, optimizer, {})
    content = path.read_bytes()
    for damaged in (b"", content[:-3], content[:20], random.Random(1).randbytes(500)):
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match="damaged, or no checkpoint"):
            load_checkpoint(path, net, optimizer)
    path.write_bytes(content)
    other = torch.nn.Linear(3, 1)
    with pytest.raises(ModelError, match="does not fit the network"):
        load_checkpoint(path, other, torch.optim.Adam(other.parameters()))


def test_nothing_is_unpickled():
    paths = [path for name in ("models", "train") for path in (SOURCES / name).rglob("*.py")]
    assert len(paths) > 40
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for word in ("import pickle", "torch.load(", "allow_pickle=True", "joblib"):
            assert word not in text, f"{path} has {word}"


@pytest.mark.parametrize("target", ["raw", "normalised"])
def test_weights_of_a_file_are_as_good_for_learning(tmp_path, target):
    """Normalisation by batches, as when it learns, answers nearly the same."""
    game = sb.game("connect4")
    config = NetConfig(blocks=2, width=16, target=target)
    torch.manual_seed(3)
    net, other = make_net(game, config), make_net(game, config)
    states = [state for state in random_states(game, 2000) if state.outcome is None]
    planes = torch.from_numpy(np.stack([state.planes() for state in states]))
    with torch.no_grad():
        for each in net.modules():  # as after some learning
            if isinstance(each, torch.nn.BatchNorm2d | torch.nn.BatchNorm1d):
                each.weight.uniform_(0.5, 2.0)
                each.bias.uniform_(-1.0, 1.0)
        for _ in range(50):
            net(planes)
        path = tmp_path / "net.onnx"
        save_net(net.eval(), game, path, {})
        take_weights(path, other, game)
        values, logits = net(planes)
        for learning, most in ((False, 1e-4), (True, 0.1)):
            found, liked = other.train(learning)(planes)
            assert (found - values).abs().max() < most
            assert (liked - logits).abs().max() < most
