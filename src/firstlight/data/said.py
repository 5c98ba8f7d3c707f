"""What a user may say of data."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    target: str | None = None
    time: str | None = None
    group: str | None = None
    schema: Path | None = None
    tokenizer: Path | None = None
    engine: str = "local"
