"""Agents: everything that chooses moves, made from spec strings such as ``random:seed=7``."""

# Each kind of agent registers itself.
from spielbaum.agents import (
    alphabeta,
    book,
    human,
    mcts,
    net,
    ntuple,
    perfect,
    qtable,
    random,
    uci,
)
from spielbaum.agents.agent import Agent
from spielbaum.agents.batches import Evaluator
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.mcts import choose_together
from spielbaum.agents.registry import AgentInfo, agent, agents, register_agent, stored_agent
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
    "alphabeta",
    "book",
    "choose_together",
    "human",
    "mcts",
    "net",
    "ntuple",
    "perfect",
    "qtable",
    "random",
    "register_agent",
    "stored_agent",
    "uci",
]
