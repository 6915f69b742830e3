"""One pool for all that runs in other processes: those of this machine, or of a Ray cluster.

A `Pool` is given functions with their arguments; its `events` say what comes of them. What a task
may do beside answering is in `desk`. Whether a task that was lost is given again, loses a game or
is an error is for whoever gave it.
"""

from spielbaum.base.workers.desks import Desk, File, Note, desk
from spielbaum.base.workers.pool import Done, Event, Failed, Lost, Pool, Told, wait_for
from spielbaum.base.workers.process import Place, Processes

__all__ = [
    "Desk",
    "Done",
    "Event",
    "Failed",
    "File",
    "Lost",
    "Note",
    "Place",
    "Pool",
    "Processes",
    "Told",
    "desk",
    "wait_for",
]
