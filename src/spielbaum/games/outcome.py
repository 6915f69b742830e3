"""How a finished game ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """A reward in [-1, 1] for each player, summing to 0, the winner if there is one, and why.

    >>> import spielbaum as sb
    >>> sb.game("connect4").state("1212121").outcome
    Outcome(rewards=(1.0, -1.0), winner=0, reason='four in a row')
    """

    rewards: tuple[float, ...]
    winner: int | None
    reason: str

    @classmethod
    def win(cls, winner: int, num_players: int = 2, reason: str = "win") -> Outcome:
        """The winner gets 1; the others share the loss.

        >>> Outcome.win(2, num_players=3, reason="last survivor").rewards
        (-0.5, -0.5, 1.0)
        """
        loss = -1.0 / (num_players - 1)
        rewards = tuple(1.0 if player == winner else loss for player in range(num_players))
        return cls(rewards, winner, reason)

    @classmethod
    def draw(cls, num_players: int = 2, reason: str = "draw") -> Outcome:
        """Nobody wins.

        >>> Outcome.draw(reason="board full")
        Outcome(rewards=(0.0, 0.0), winner=None, reason='board full')
        """
        return cls((0.0,) * num_players, None, reason)
