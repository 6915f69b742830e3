"""Agents: everything that chooses moves, made from spec strings such as ``random:seed=7``."""

from spielbaum.agents.agent import Agent
from spielbaum.agents.batches import Evaluator
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.mcts import choose_together
from spielbaum.agents.registry import AgentInfo, agent, agents, register_agent, stored_agent
from spielbaum.base import discover
from spielbaum.base.budget import Budget, StopToken

__all__ = [
    "Agent",
    "AgentInfo",
    "Budget",
    "Decision",
    "Evaluator",
    "MoveEval",
    "StopToken",
    "agent",
    "agents",
    "choose_together",
    "register_agent",
    "stored_agent",
]

# Each kind of agent registers itself when its module is imported.
for _module in discover.names(__name__):
    discover.load(__name__, _module)
