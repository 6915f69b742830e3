"""PettingZoo: every game as an environment of several agents (AEC), one agent for each player.

``pip install 'spielbaum[environments]'``
"""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from spielbaum.agents import Decision
from spielbaum.games import Game, State, game
from spielbaum.play.table import Player, Rules, Table
from spielbaum.protocols.gymnasium import Viewer, action_mask, has_display, plane_space


class GameEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A game as PettingZoo sees it, without its usual wrappers; `env` makes one with them.

    Agents are called ``player_0``, ``player_1`` and so on. An observation has the position as
    feature planes (``"observation"``, as the player to move sees it) and the legal actions of the
    agent (``"action_mask"``, all 0 while it is another one's turn). Rewards come with the end of
    the game; an illegal action loses it, and the others share the loss.
    """

    def __init__(
        self,
        rules: Game | str,
        *,
        encoding: str = "own",
        max_plies: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """``max_plies`` truncates games that are not over by then, as draws."""
        super().__init__()
        self._game = rules if isinstance(rules, Game) else game(rules)
        self._encoding = encoding
        self._rules = Rules(max_plies=max_plies)
        self._viewer = Viewer(render_mode)
        self.render_mode = render_mode
        self.metadata = {
            "name": str(self._game),
            "render_modes": ["ansi", "rgb_array", *(["human"] if has_display() else [])],
            "is_parallelizable": False,
            "render_fps": 2,
        }
        actions = self._game.num_actions
        self.possible_agents = [f"player_{player}" for player in range(self._game.num_players)]
        self.agents: list[str] = []
        self.action_spaces = {each: Discrete(actions) for each in self.possible_agents}
        self.observation_spaces = {
            each: Dict(
                observation=plane_space(self._game, encoding),
                action_mask=Box(0, 1, (actions,), action_mask(None, 1).dtype.type),
            )
            for each in self.possible_agents
        }

    @property
    def position(self) -> State:
        """The position of the running game, for tools that want more than planes."""
        return self._table.state

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. Nothing in it is random, so that the seed does not matter."""
        self._table = Table(
            self._game.initial(), [Player(None) for _ in self.possible_agents], self._rules
        )
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {each: {} for each in self.agents}
        self._select()

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, or take it out after the end with None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None, "None is for agents whose game is over"
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._table.play(Decision(int(action)))
        self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees of the position, and what it may play."""
        state = self._table.state
        its_turn = self._table.result is None and agent == self.agent_selection
        return {
            "observation": state.planes(self._encoding),
            "action_mask": action_mask(state if its_turn else None, self._game.num_actions),
        }

    def observation_space(self, agent: str) -> Dict:
        """Planes and mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """All actions of the game, of which the mask says which are legal."""
        return self.action_spaces[agent]

    def render(self) -> Any:
        """The board as text or pixels, or None after showing it in a window."""
        return self._viewer.show(self._table.state)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._viewer.close()

    def _select(self) -> None:
        """Select the agent whose turn it is, or settle the end of the game."""
        turn = self._table.turn()
        if turn is not None:
            self.agent_selection = self.possible_agents[turn.player]
            return
        result = self._table.result
        assert result is not None
        ended = self.truncations if result.ended_by == "length" else self.terminations
        for agent, reward in zip(self.possible_agents, result.rewards, strict=True):
            self.rewards[agent] = float(reward)
            ended[agent] = True
            self.infos[agent] = {"reason": result.reason}
        self.agent_selection = self.possible_agents[self._table.state.to_move]


def env(rules: Game | str, **options: Any) -> Any:
    """Make an environment with PettingZoo's usual wrappers; options are those of `GameEnv`.

    >>> connect4 = env("connect4", render_mode="ansi")
    >>> connect4.reset()
    >>> for column in (3, 2, 3, 2, 3, 2, 3):
    ...     connect4.step(column)
    >>> connect4.terminations, connect4.rewards["player_0"]
    ({'player_0': True, 'player_1': True}, 1.0)
    """
    made = wrappers.AssertOutOfBoundsWrapper(GameEnv(rules, **options))
    return wrappers.OrderEnforcingWrapper(made)
