"""What a check saw (evidence), and what is told to the user (finding)."""

from enum import StrEnum

import msgspec

from firstlight.records.places import Where

Scalar = float | int | str | bool | None


class Severity(StrEnum):
    """`error`: do not start this run. `warning`: look. `note`: for information."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def weight(self) -> int:
        return ("note", "warning", "error").index(self.value)


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Text to put in place of a stretch of a source file; columns count bytes from 0."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One sighting. A field left None is filled from the check's identity card."""

    where: Where
    saw: str
    wanted: str
    cause: str | None = None
    severity: Severity | None = None
    confidence: float | None = None
    likely: str | None = None
    do: str | None = None
    numbers: dict[str, Scalar] = {}
    edits: tuple[Edit, ...] = ()
    """The repair, where it is certain to keep everything else as it is."""
    later: bool = False
    """It came about in training: the program was seen without it first."""


class Witness(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that speaks for an incident: which check heard it, where, and how strongly it speaks."""

    id: str
    kind: str
    """`source`, `tape`, `run`, `experiment`, `live`, `piece` or `data`."""
    where: str
    says: str
    weight: float
    """The probability of the cause by this witness alone; 0 for what merely follows from it."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A repair that was tried on a copy of the program, beside the copies it has to beat."""

    change: str
    reached: float
    as_it_is: float
    steps: int
    guess: float | None
    """What a copy reaches that cannot see which answer belongs to which input; None where that cannot be asked."""
    others: dict[str, float] = {}
    """What more general changes reach, by their names."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    cause: str
    category: str
    severity: Severity
    confidence: float
    verified: bool
    where: Where
    summary: str
    saw: str
    wanted: str
    likely: str
    do: str
    evidence: dict[str, Scalar] = {}
    count: int = 1
    """How many sightings this incident stands for; the first one is shown."""
    edits: tuple[Edit, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    """Everything that speaks for it, the sighting shown first."""
    proof: Proof | None = None
    later: bool = False
    """It came about in training: the program was seen without it first."""
