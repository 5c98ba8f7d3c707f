"""What a log must hold: built-in sets of rules by name, or the user's own in a TOML file.

first = "experiment_start"

[events.epoch_complete]
fields = { epoch = "int", train_loss = "number" }
rising = "epoch"
"""

import difflib
import re
import tomllib
import typing
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import UnreadableError, UsageError
from firstlight.records.events import EVENT, EVENT_SCHEMA, _Event
from firstlight.records.log import EventRule, LogRules
from firstlight.store import plain_files

MOST_BYTES = 4 << 20
UNNAMABLE = re.compile(r'[\x00-\x1f"\\]|^ $')
"""Characters that a name of a field does not have in any log."""
TYPES: dict[str, Any] = {
    "int": int,
    "number": float,
    "string": str,
    "bool": bool,
    "list": list[Any],
    "table": dict[str, Any],
    "any": Any,
}
_NULLABLE: dict[str, Any] = {f"{name}?": kind | None for name, kind in TYPES.items() if name != "any"}
_KINDS: tuple[type[_Event], ...] = typing.get_args(EVENT)
_FIELDS = {
    str(k.__struct_config__.tag): {f.encode_name: f.type for f in msgspec.structs.fields(k) if f.required}
    for k in _KINDS
}
_COMMON = ("event", "ts", "run_id", "seq")
_RISING = {"epoch_complete": "epoch", "heartbeat": "step"}
"""Not the steps: those of several optimizers interleave in our own logs, where `seq` tells of lines that come twice."""


def known(*required: str, common: bool) -> dict[str, EventRule]:
    """The events of the published schema, of which only `required` must occur."""
    return {
        phase: EventRule(
            fields={name: kind for name, kind in fields.items() if common or name not in _COMMON},
            required=phase in required,
            once=phase in ("run_start", "run_end", "experiment_start", "experiment_complete"),
            rising=_RISING.get(phase),
            contiguous=phase == "epoch_complete",
        )
        for phase, fields in _FIELDS.items()
    }


def _some(*phases: str) -> dict[str, EventRule]:
    return {phase: rule for phase, rule in known(*phases, common=False).items() if rule.required}


BUILT_IN: dict[str, LogRules] = {
    "core": LogRules(name="core", events=known("run_start", common=True), first="run_start"),
    "complete": LogRules(
        name="complete", events=known("run_start", "run_end", common=True), first="run_start", last="run_end"
    ),
    "folds": LogRules(
        name="folds",
        events=_some("experiment_start", "fold_start", "epoch_complete", "fold_complete", "experiment_complete"),
        first="experiment_start",
        last="experiment_complete",
        pairs=(("fold_start", "fold_complete", "fold_id"),),
    ),
    "poc": LogRules(name="poc", events=_some("poc_start", "poc_complete"), first="poc_start"),
    "any": LogRules(
        name="any",
        events={
            "step": EventRule(required=False, rising="step"),
            "epoch_complete": EventRule(required=False, rising="epoch"),
        },
    ),
}
"""`core` is what firstlight itself writes, `complete` the same once the run is over."""


class _Written(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="kebab"):
    """An event in a user's file."""

    fields: list[str] | dict[str, str] = []
    required: bool = True
    once: bool = False
    rising: str | None = None
    contiguous: bool = False


class _File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="kebab"):
    events: dict[str, _Written] = {}
    first: str | None = None
    last: str | None = None
    pairs: list[tuple[str, str, str]] = []


def fitting(start: bytes) -> LogRules:
    """For a log that begins like this, where nothing was asked for: our own are held to what we promise."""
    return BUILT_IN["core" if EVENT_SCHEMA.encode() in start.partition(b"\n")[0] else "any"]


def rules(word: str) -> LogRules:
    """By the name of a built-in set, or the path of a file."""
    if word in BUILT_IN:
        return BUILT_IN[word]
    path = Path(word)
    try:
        text = plain_files.contents(path, MOST_BYTES, follow=True).decode("utf-8")
        file = msgspec.convert(tomllib.loads(text), type=_File)
    except UnreadableError as error:
        near = difflib.get_close_matches(word, BUILT_IN, 1)
        meant = f" Did you mean `{near[0]}`?" if near else ""
        raise UsageError(f"--required: {error}; nor is it one of {', '.join(BUILT_IN)}.{meant}") from None
    except (RecursionError, ValueError) as error:  # of text, TOML or types
        raise UsageError(f"--required: {word}: {error}") from None
    return LogRules(
        name=word,
        events={phase: _rule(word, phase, written) for phase, written in file.events.items()},
        first=file.first,
        last=file.last,
        pairs=tuple(file.pairs),
    )


def _rule(file: str, phase: str, written: _Written) -> EventRule:
    fields = written.fields if isinstance(written.fields, dict) else dict.fromkeys(written.fields, "any")
    wrong = next((kind for kind in fields.values() if kind not in TYPES | _NULLABLE), None)
    if wrong is not None:
        raise UsageError(
            f"--required: {file}: events.{phase}: `{wrong}` is no type; there are {', '.join(TYPES)}, "
            "and each with a `?` behind it where null is allowed"
        )
    unnamable = next((name for name in (*fields, written.rising or "") if UNNAMABLE.search(name)), None)
    if unnamable is not None:
        raise UsageError(f"--required: {file}: events.{phase}: `{unnamable}` is no name of a field")
    return EventRule(
        fields={name: (TYPES | _NULLABLE)[kind] for name, kind in fields.items()},
        required=written.required,
        once=written.once,
        rising=written.rising,
        contiguous=written.contiguous,
    )
