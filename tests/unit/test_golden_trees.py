"""Small search trees that are known move by move: a change of any rule shows here.

After a change that is meant, write them anew: python tests/unit/test_golden_trees.py
"""

from pathlib import Path

import spielbaum as sb

FILE = Path(__file__).parents[1] / "data" / "mcts" / "trees.txt"
SPECS = (
    *("uct", "uct1", "uct2", "uct3", "amaf", "rave", "lgr", "rave-lgr", "mcts"),
    *("mcts-gdk", "mcts-pn", "mcts-ab"),
    *("mcts:select=ucd,d1=2,d2=1,d3=1", "mcts:select=ucb1-tuned,playout=mast"),
    *("mcts:select=puct", "mcts:select=puct,root=gumbel,considered=4", "uct:minimax=0.5"),
)
START, ITERATIONS = "b2 a1", 30


def trees() -> str:
    """Each tree as a spec and its moves, indented by depth."""
    state = sb.game("tictactoe").state(START)
    lines = [f"# {ITERATIONS} iterations of tictactoe from {START}: move, visits, value, proven"]
    for spec in SPECS:
        agent = sb.agent(spec)
        agent.choose(state, sb.Budget(iterations=ITERATIONS))
        rows = agent.tree(state.game)
        lines.append(spec)
        lines += _below(rows, None, 1)
    return "\n".join(lines) + "\n"


def _below(rows, parent, depth):
    for index, row in enumerate(rows):
        if row.parent == parent:
            proven = "" if row.proven is None else " proven"
            yield f"{'  ' * depth}{row.move} {row.visits} {row.value:.6f}{proven}"
            yield from _below(rows, index, depth + 1)


def test_trees():
    assert trees() == FILE.read_text(encoding="ascii")


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(trees(), encoding="ascii")
