"""Symbols of texts that are fed as one."""

import msgspec


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """What the ids that are fed do not tell of the texts they were made of, and what that would tell of the answers."""

    level: str = ""
    """Characters, words or whole values; empty where none are made one."""
    groups: tuple[tuple[str, ...], ...] = ()
    """Symbols that are made one, of the first few such; and below, how many there are."""
    count: int = 0
    rows: int = 0
    fed: float = 0.0
    """Share of the answers that a plain fit foretells from what is fed; below, if it is told the symbols apart."""
    apart: float = 0.0
