"""What the server allows, and where its files are."""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from spielbaum.base.memory import machine_megabytes
from spielbaum.base.workers import Pool, Processes
from spielbaum.models.shipped import shipped_models

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names under which only programs of this machine reach the server."""
ANY = ("0.0.0.0", "::", "")
"""Addresses of a server that listens on all that the machine has."""
TOKEN_BYTES = 24
KEPT_MEGABYTES = 64
"""The largest tree or table of an agent that is kept from move to move."""


def default_data_folder() -> Path:
    """Where tournaments and trainings are kept, and the files that agents of visitors may read.

    The variable SPIELBAUM_DATA of the environment names it; else it is in the user's folder of
    data.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, SPIELBAUM_DATA="/tmp/mine"):
    ...     print(default_data_folder())
    /tmp/mine
    """
    named = os.environ.get("SPIELBAUM_DATA")
    if named:
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "spielbaum"


def is_loopback(host: str) -> bool:
    """Whether a server that listens on this address is out of reach for other machines.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host in LOOPBACK or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _cores() -> int:
    return os.cpu_count() or 1


def _enough_agents() -> int:
    """As many as a quarter of the machine's memory has room for, and a single process, too."""
    return max(2, min(machine_megabytes() // (4 * KEPT_MEGABYTES), 64))


@dataclass(frozen=True)
class Settings:
    """Limits of a server; every one can be tested by a visitor who tries to exceed it.

    >>> Settings(data=Path("/tmp/mine"), workers=1).workers
    1
    """

    data: Path = field(default_factory=default_data_folder)
    models: Path = field(default_factory=shipped_models)
    """The trained agents that everybody may use."""
    host: str = "127.0.0.1"
    """The address that the server listens on."""
    allowed_hosts: tuple[str, ...] = ()
    """Further names by which visitors may call the server."""
    engines: tuple[tuple[str, str], ...] = ()
    """Programs of others that visitors may use: the name that they see, and the agent's spec."""
    token: str = ""
    """The secret that every request must have; empty: none, which only a loopback address may."""
    workers: int = field(default_factory=_cores)
    """Processes that search, each one thing at a time."""
    jobs: int = field(default_factory=lambda: max(1, _cores() - 1))
    """Processes that play the games of a tournament."""
    imports: tuple[str, ...] = ()
    """Modules that register further agents and games."""
    seconds: float = 60.0
    """The longest search."""
    megabytes: int = 1024
    """The largest table that an agent may have."""
    process_megabytes: int = 6144
    """Address space of a process that searches."""
    kept_agents: int = field(default_factory=_enough_agents)
    """Agents of games under way that are kept from move to move, in all processes together."""
    threads: int = field(default_factory=_cores)
    """The most threads of one search."""
    waiting: int = 12
    """Searches of one visitor at a time, those that wait for their turn included."""
    visitors: int = 256
    """Open pages."""
    connections: int = 768
    """Open connections in all; fewer where the process may not open so many files."""
    connections_of_one: int = 384
    """Open connections of one address."""
    request_seconds: float = 20.0
    """How long a visitor may take to send a request, and to read on when an answer waits."""
    runs: int = 2
    """Tournaments and experiments at a time."""
    trainings: int = 1
    """Trainings at a time."""
    kept_trainings: int = 200
    """Trainings and configurations that are kept, at most."""
    body_bytes: int = 65_536
    """The largest request or message."""
    rate: float = 60.0
    """Requests a second that one address may keep up; messages of one page likewise."""
    burst: int = 400
    """Requests that one address may send at once."""

    def __post_init__(self) -> None:
        """Draw a token where one is needed and none was given."""
        if not self.token and not is_loopback(self.host):
            object.__setattr__(self, "token", secrets.token_urlsafe(TOKEN_BYTES))

    def pool(self, size: int, *, parents: bool = False) -> Pool:
        """Processes within the limits; ``parents``: they may have processes of their own."""
        place = Processes(parents=parents)
        return Pool(size, place, imports=self.imports, megabytes=self.process_megabytes)
