"""What the guard leaves behind when a run trips: the manifest of an artifact. The tensors lie beside it.

A value of the program (a batch, an optimizer's state) is kept as a tree of nodes: containers by their kind, numbers and
words as text, tensors by the name they have in the part's file. Nothing in it is code, and reading it runs none.
"""

from typing import Any, Literal

import msgspec

from firstlight.records.finding import Scalar

ARTIFACT_SCHEMA: Literal["firstlight.artifact/1"] = "firstlight.artifact/1"
Plain = dict[str, Any]


class TensorNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="node", tag="tensor", forbid_unknown_fields=True):
    key: str
    """Name in the part's tensor file. Two nodes may share one: tied weights."""
    device: str = "cpu"
    array: bool = False
    """It was a NumPy array."""


class WordNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="node", tag="word", forbid_unknown_fields=True):
    """A number, a string, a flag or None, as text: whatever its size, and also when it is not finite."""

    kind: Literal["int", "float", "str", "bool", "none"]
    text: str = ""


class ListNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="node", tag="list", forbid_unknown_fields=True):
    kind: Literal["list", "tuple"]
    items: tuple["Node", ...]


class DictNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="node", tag="dict", forbid_unknown_fields=True):
    keys: tuple[WordNode, ...]
    items: tuple["Node", ...]


class ObjectNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="node", tag="object", forbid_unknown_fields=True):
    """A dataclass, a named tuple, or a mapping of a class of its own such as `BatchEncoding`."""

    kind: Literal["dataclass", "namedtuple", "mapping"]
    type: str
    """`module:name`."""
    names: tuple[str, ...]
    items: tuple["Node", ...]


class OpaqueNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="node", tag="opaque", forbid_unknown_fields=True):
    """Something that was not kept, by its type."""

    type: str


Node = TensorNode | WordNode | ListNode | DictNode | ObjectNode | OpaqueNode


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that was kept: the batch, a model's weights, an optimizer's state."""

    name: str
    """`batch`, `inputs`, `model`, `optimizer`, `scheduler`, `scaler`, `rng`, with a number from the second one on."""
    moment: Literal["before", "trip"]
    """As the last good step began, or as the guard tripped."""
    tree: Node
    title: str = ""
    """The class of what was kept."""
    file: str | None = None
    """Its tensors; None where it has none."""
    bytes: int = 0
    digest: str = ""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    part: str
    reason: str


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What was running, as far as it takes to run it again."""

    argv: tuple[str, ...]
    script: str | None = None
    """Relative to the working directory where it lies below it."""
    script_digest: str = ""
    module: str | None = None
    """The program was started by `python -m`."""
    git: str | None = None
    changed: tuple[str, ...] = ()
    """Files that differ from that commit."""
    sources: dict[str, str] = {}
    """Digests of the program's own modules below the working directory, by their paths in it."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal["firstlight.artifact/1"]
    run_id: str
    step: int
    """The step that tripped the guard."""
    check: str
    """Id and name of the red flag: `FL601 value-nonfinite`."""
    summary: str
    created: str
    before_step: int | None = None
    """The step whose beginning the parts of the moment `before` show."""
    rank: int = 0
    world: int = 1
    parts: tuple[Part, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    program: Program
    environment: dict[str, Scalar] = {}
    config: Plain = {}
    """Settings of the run worth knowing: learning rates, precision, what the user told the guard."""
    window: tuple[Plain, ...] = ()
    """The last steps' telemetry, oldest first."""
    stack: tuple[str, ...] = ()
