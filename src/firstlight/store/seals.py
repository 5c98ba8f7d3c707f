"""Tells artifacts that this user's own runs left here from those that came from elsewhere.

Beside a manifest lies its seal: a keyed digest of the manifest, so of the program, its arguments and every part, and of
the place it was written to. The key lies in the user's state directory and goes nowhere. Without a sound seal an
artifact is data, and nothing it says is run.
"""

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from firstlight.errors import UnreadableError
from firstlight.store import plain_files

FILE = "seal"
KEY = "replay-key"
KEY_BYTES = 32
DIGEST_BYTES = 64


def seal(place: Path, manifest: bytes) -> bytes | None:
    """None where there is no key to be had: a home that cannot be written to."""
    key = _key() or _new_key()
    return None if key is None else _digest(key, place, manifest)


def holds(place: Path, manifest: bytes, sealed: bytes) -> bool:
    key = _key()
    return key is not None and hmac.compare_digest(_digest(key, place, manifest), sealed)


def _digest(key: bytes, place: Path, manifest: bytes) -> bytes:
    where = os.fsencode(os.path.realpath(place))
    message = b"".join((len(where).to_bytes(8, "little"), where, manifest))
    return hmac.new(key, message, hashlib.sha256).hexdigest().encode()


def _folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state") / "firstlight"


def _key() -> bytes | None:
    """Only one that nobody else can read or have written."""
    try:
        with plain_files.opened(_folder() / KEY) as file:
            status = os.fstat(file.fileno())
            found = file.read(KEY_BYTES + 1)
    except (UnreadableError, OSError, RuntimeError):
        return None
    private = status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return found if private and len(found) == KEY_BYTES else None


def _new_key() -> bytes | None:
    """Appears whole: ranks that trip together agree on the one that came first."""
    try:
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = folder / f".{KEY}.{secrets.token_hex(8)}"
        plain_files.create(fresh, secrets.token_bytes(KEY_BYTES), 0o600)
        try:
            os.link(fresh, folder / KEY)
        finally:
            fresh.unlink()
    except FileExistsError:
        pass
    except (OSError, RuntimeError):
        return None
    return _key()
