"""PettingZoo and Gymnasium see our games as their own tests demand, without a display."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import spielbaum as sb
from spielbaum.base.rng import Rng
from spielbaum.games.drawing.raster import pixels
from spielbaum.games.files import shipped_maps
from spielbaum.games.game import declared_options, native_games
from spielbaum.protocols.gymnasium import SeatEnv, register
from spielbaum.protocols.pettingzoo import GameEnv, env

CYCLES = 25


def random_options(name, seed):
    """A spec of the game with options drawn within their limits, which its board accepts."""
    rng = Rng(seed)
    while True:
        drawn = []
        for option in declared_options(name):
            if option.name == "map":
                value = shipped_maps()[rng.below(len(shipped_maps()))]
            elif isinstance(option.default, bool):
                value = "on" if rng.below(2) else "off"
            elif option.choices:
                value = str(option.choices[rng.below(len(option.choices))])
            else:
                low, high = int(option.low), min(int(option.high), int(option.low) + 12)
                value = str(low + rng.below(high - low + 1))
            drawn.append(f"{option.name}={value}")
        spec = f"{name}:{','.join(drawn)}" if drawn else name
        try:
            return str(sb.game(spec))
        except sb.SpecError:
            continue


SPECS = sorted(
    {
        *native_games(),
        *(random_options(name, seed) for name in native_games() for seed in range(2)),
        "yavalath:players=3",
        "reversixt:map=map20",
        "openspiel:name=clobber",
    }
)


@pytest.fixture(autouse=True)
def no_display(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoo_accepts_every_game(spec):
    with warnings.catch_warnings():
        # PettingZoo knows by name which of its own environments observe a dictionary, and warns of
        # the masks without a legal action that every finished game has.
        warnings.simplefilter("ignore")
        api_test(env(spec), num_cycles=CYCLES)
    seed_test(lambda: env(spec), num_cycles=CYCLES)
    render_test(lambda render_mode=None: env(spec, render_mode=render_mode))


def test_a_game_is_rewarded_and_ends_for_everybody():
    game = env("yavalath:players=3")
    game.reset()
    total = dict.fromkeys(game.possible_agents, 0.0)
    for agent in game.agent_iter():
        observation, reward, over, _, _ = game.last()
        total[agent] += reward
        game.step(None if over else int(observation["action_mask"].argmax()))
    assert sorted(total.values())[-1] > 0
    assert abs(sum(total.values())) < 1e-6
    assert game.agents == []


def test_an_illegal_action_loses():
    game = GameEnv("connect4")
    game.reset()
    for _ in range(6):
        game.step(0)
    assert game.observe("player_0")["action_mask"].tolist() == [0, 1, 1, 1, 1, 1, 1]
    game.step(0)
    assert game.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert game.infos["player_0"]["reason"] == "move 0 is not legal"


def test_a_long_game_is_truncated():
    game = GameEnv("chess", max_plies=2)
    game.reset()
    for _ in range(2):
        game.step(int(game.observe(game.agent_selection)["action_mask"].argmax()))
    assert game.truncations == {"player_0": True, "player_1": True}
    assert not any(game.terminations.values())


def test_without_a_display_there_is_no_window():
    game = env("tictactoe", render_mode="human")
    game.reset()
    assert game.metadata["render_modes"] == ["ansi", "rgb_array"]
    with pytest.raises(sb.SpecError, match="there is no display"):
        game.render()
    with pytest.raises(sb.SpecError, match="expected ansi, rgb_array or human"):
        env("tictactoe", render_mode="hologram")


@pytest.mark.parametrize("name", register())
def test_gymnasium_accepts_every_id(name):
    made = gymnasium.make(name, max_plies=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # planes have no bounds; nor has an id of ours a newer one
        check_masked(made.unwrapped)


def check_masked(made):
    """Gymnasium's own check draws any action; here an illegal one ends the game, as it may."""
    check_env(made, skip_render_check=True)
    first, info = made.reset(seed=3)
    again, _ = made.reset(seed=3)
    assert np.array_equal(first, again)
    assert np.array_equal(made.action_masks(), info["action_mask"].astype(bool))


def test_a_seat_plays_whole_games_against_agents():
    made = SeatEnv("tictactoe", opponent="perfect", seat=None, render_mode="ansi")
    rewards, seats = [], set()
    for episode in range(20):
        _, info = made.reset(seed=episode)
        seats.add(made.seat)
        over = False
        while not over:
            action = int(np.flatnonzero(info["action_mask"])[0])
            _, reward, over, _, info = made.step(action)
        rewards.append(reward)
        assert info["reason"] in str(made.render()) + info["reason"]
    assert seats == {0, 1}
    assert max(rewards) <= 0.0
    assert min(rewards) == -1.0
    with pytest.raises(sb.SpecError, match="the game is over"):
        made.step(0)


def test_each_other_seat_can_have_its_own_agent():
    made = SeatEnv("yavalath:players=3", opponent=["random", "uct:seed=1"], seat=1)
    made.reset(seed=0)
    assert made.position.to_move == 1
    with pytest.raises(sb.SpecError, match="2 opponents: connect4 needs 1"):
        SeatEnv("connect4", opponent=["random", "random"])
    with pytest.raises(sb.SpecError, match="has the seats 0 to 1"):
        SeatEnv("connect4", seat=2)


def test_pixels_show_what_the_picture_draws():
    image = pixels(sb.game("connect4").state("4").svg(size=360))
    assert image.dtype == np.uint8
    red, blue = (224, 53, 47), (35, 96, 197)  # the stone, and the board
    assert (image == red).all(axis=-1).sum() > 300
    assert (image == blue).all(axis=-1).sum() > 20_000
    empty = pixels(sb.game("connect4").initial().svg(size=360))
    assert not (empty == red).all(axis=-1).any()
