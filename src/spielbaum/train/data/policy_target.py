"""What a network learns from the decision of a search or another teacher."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from spielbaum.agents import Decision
    from spielbaum.games import State


def policy_target(decision: Decision, state: State) -> npt.NDArray[np.float32]:
    """Return the probabilities to learn from a decision, in the order of the legal moves.

    They are its policy, but moves that are known to win alone if there are any, and the chosen
    move alone if there is no policy.

    >>> import spielbaum as sb
    >>> policy_target(sb.Decision(1), sb.game("tictactoe").state("a1")).tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    # Without arrays, which take longer for a few moves.
    shares = {each.move: 1.0 for each in decision.moves if each.proven == 1.0}
    if not shares:
        shares = {each.move: each.policy or 0.0 for each in decision.moves}
    total = sum(shares.values())
    if total == 0:
        shares, total = {decision.move: 1.0}, 1.0
    return np.array([shares.get(move, 0.0) / total for move in state.legal_moves], np.float32)
