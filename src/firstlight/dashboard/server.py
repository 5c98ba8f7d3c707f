"""Listens, tells where, and ends on Ctrl-C."""

import contextlib
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from firstlight.dashboard.app import application
from firstlight.errors import UsageError

PORT = 8765
MOST_CONNECTIONS = 512
LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = frozenset({"0.0.0.0", "::"})


@dataclass(frozen=True, slots=True)
class Address:
    host: str = LOOPBACK[0]
    port: int | None = None
    """None takes the usual one, or any other while that is taken."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Listens already; answers once it runs."""

    server: uvicorn.Server
    listening: socket.socket
    url: str

    def run(self) -> None:
        """Until Ctrl-C, which is how it is meant to end."""
        with self.listening, contextlib.suppress(KeyboardInterrupt):
            self.server.run(sockets=[self.listening])


def prepare(folder: Path, address: Address) -> Ready:
    listening = _listen(address)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    names = frozenset({address.host, socket.gethostname()}) - EVERYWHERE
    config = uvicorn.Config(
        application(folder, token, f"firstlight-{port}", names),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,  # open event streams would hold Ctrl-C otherwise
    )
    host = f"[{address.host}]" if ":" in address.host else address.host
    return Ready(uvicorn.Server(config), listening, f"http://{host}:{port}/?token={token}")


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    for port in (PORT, 0) if address.port is None else (address.port,):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((address.host, port))
        except OSError as error:
            found.close()
            reason = error.strerror or str(error)
        else:
            found.listen(128)
            return found
    raise UsageError(f"cannot listen on {address.host}:{address.port or PORT}: {reason}")
