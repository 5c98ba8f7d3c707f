"""What kept a checked script from the user's files, and what it did beyond them."""

import msgspec


class Floor(msgspec.Struct, frozen=True, kw_only=True):
    """What the kernel itself holds back, under the patched layers."""

    view: bool = False
    """Native code and started programs see, and write to, a copy of the project; the rest is read-only."""
    landlock: int = 0
    """Version of the rules by which all other writes are refused; 0 where there are none."""
    project: str = ""
    changes: str = ""
    """Where the view keeps what was written to the project."""

    def __str__(self) -> str:
        names = [*(["view"] if self.view else []), *([f"landlock {self.landlock}"] if self.landlock else [])]
        return " and ".join(names) or "none"


class Contained(msgspec.Struct, frozen=True, kw_only=True):
    floor: Floor | None = None
    """None where nothing was contained, or the script did not get so far."""
    started: tuple[str, ...] = ()
    """Programs it started."""
    reached: tuple[str, ...] = ()
    """Hosts it connected to, as Python saw it."""
