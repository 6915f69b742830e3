"""Agents that do what an agent should not, for workers that import this module."""

import os
import signal
import time

import spielbaum as sb


class Strange(sb.Agent):
    """Plays the first legal move, until the position has so many stones; then it is strange."""

    def __init__(self, how: str, ply: int) -> None:
        self.how, self.ply = how, ply

    def choose(self, state, budget=None):
        if len(state.history) < self.ply:
            return sb.Decision(state.legal_moves[0])
        if self.how == "raise":
            raise RuntimeError("no idea")
        if self.how == "illegal":
            return sb.Decision(9999)
        if self.how == "sleep":
            time.sleep(3600)
        if self.how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return sb.Decision(state.legal_moves[0])


sb.register_agent(
    "strange",
    Strange,
    options=(
        sb.Option("how", "raise", "what it does", choices=("raise", "illegal", "sleep", "die")),
        sb.Option("ply", 0, "from when on", low=0),
    ),
    help="does what an agent should not",
    replace=True,
)
