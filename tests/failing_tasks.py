"""Tasks that fail in every way."""

import os
import signal
import time
from pathlib import Path

import spielbaum as sb
from spielbaum.base.workers import desk


def double(number):
    return 2 * number


def fail(number):
    raise sb.SpecError(f"{number} is wrong")


def leave(code):
    desk().note(7, 8)
    os._exit(code)


def be_killed():
    desk().note(5)
    os.kill(os.getpid(), signal.SIGKILL)


def hang():
    desk().note(1, 2, within=0.5)
    time.sleep(3600)


def eat(megabytes):
    return len(bytes(megabytes << 20))


def tell(number):
    for each in range(number):
        desk().tell(each)
    return number


def wait_for_the_stop():
    while not desk().stopped:
        time.sleep(0.01)
    return "stopped"


def never_stop():
    while True:
        time.sleep(0.1)


def count_up():
    """How often this was called where something is kept."""
    counts = desk().keep(list)
    counts.append(os.getpid())
    return len(counts)


def whereabouts(path):
    return path.read_text(), str(path)


def answer_that_cannot_be_sent():
    return lambda: None


def leave_a_mark(folder, seconds):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(seconds)
