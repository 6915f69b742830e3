"""A process that is forked while an agent thinks: the child's agents work, or say why not."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

SCRIPT = """
    import os, signal, sys, threading, time
    import spielbaum as sb

    agent, state = sb.agent(sys.argv[1]), sb.game("connect4").initial()
    for move in (3, 3, 3, 2, 4):  # beyond the book
        state = state.play(move)
    long = sb.Budget(seconds=60)
    thinking = threading.Thread(target=agent.choose, args=(state, long), daemon=True)
    thinking.start()
    time.sleep(0.5)
    assert thinking.is_alive()
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a child that hangs is killed
        for asked in (agent, sb.agent(sys.argv[1])):
            decision = asked.choose(state, sb.Budget(seconds=0.2))
            assert decision.move in state.legal_moves
        print("child played", flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    agent.stop()
    thinking.join(10)
    assert not thinking.is_alive()
    assert agent.choose(state, sb.Budget(seconds=0.1)).move in state.legal_moves
    print("parent played", os.waitstatus_to_exitcode(status), flush=True)
"""


@pytest.mark.parametrize(
    "spec",
    [
        "mcts",
        "uct3",
        "mcts:threads=2",
        "mcts:threads=2,parallel=tree",
        "alphabeta",
        "alphabeta:threads=2",
        "perfect:prefer=distance",
        "net:connect4",
    ],
)
def test_a_fork_in_the_middle_of_a_search(spec):
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SCRIPT), spec],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "SPIELBAUM_CACHE": "off"},
    )
    assert run.stdout.splitlines() == ["child played", "parent played 0"], run.stderr


IN_A_THREAD = """
    import os, signal, threading
    import spielbaum as sb

    def interrupted(*_):
        raise KeyboardInterrupt

    def forks():
        child = os.fork()
        if child:
            exits.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            return
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            sb.agent("uct").choose(sb.game("hex").initial(), sb.Budget(seconds=20))
        except KeyboardInterrupt:
            os._exit(7)
        os._exit(1)

    exits = []
    signal.signal(signal.SIGALRM, interrupted)
    thread = threading.Thread(target=forks)
    thread.start()
    thread.join()
    print(exits)
"""


def test_a_thread_that_forks_is_interrupted_in_the_child():
    """There it is the main thread, the one in which Python handles signals."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(IN_A_THREAD)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout == "[7]\n", run.stderr
