"""Decoders made for one set of rules: they refuse, in C, every line that lacks a field or has one of another type."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from firstlight.records.log import EventRule, LogRules

PLAIN = EventRule(required=False)
"""Of an event that no rule speaks of."""
_HEAD: dict[str, Any] = {"seq": int | None, "rank": int | str | None, "timeline": str | None, "ts": str | float | None}
_NOWHERE = " "
"""The name of a field that no line has."""


class Shapes:
    """One decoder for several kinds of events; what tells them apart stands in `tag_field`."""

    def __init__(self, rules: LogRules, tag_field: str, phases: Iterable[str]) -> None:
        self.rules, self.tag_field = rules, tag_field
        self.phases: dict[type, str] = {self._shape(phase): phase for phase in phases}
        anchor: Any = msgspec.defstruct("Line", [], tag_field=tag_field, tag=_NOWHERE)
        for shape in self.phases:  # alone, one shape would take a line without a tag for its own
            anchor = anchor | shape
        self.decoder: msgspec.json.Decoder[Any] | None = msgspec.json.Decoder(anchor) if self.phases else None

    def kinds(self, phases: Iterable[str]) -> frozenset[type]:
        wanted = frozenset(phases)
        return frozenset(shape for shape, phase in self.phases.items() if phase in wanted)

    def _shape(self, phase: str) -> type[msgspec.Struct]:
        rule = self.rules.events.get(phase, PLAIN)
        required = {name: kind for name, kind in rule.fields.items() if name != self.tag_field}
        rising = rule.rising or _NOWHERE
        names = {**{name: name for name in _HEAD}, "mark": rising}
        kinds = {**_HEAD, "mark": int | float | None}
        if self.tag_field != "phase":
            names["phase"], kinds["phase"] = "phase", Literal[" "]  # where there is one, it counts, and not the tag
        for number, name in enumerate(required):
            attribute = next((mine for mine, theirs in names.items() if theirs == name), f"field_{number}")
            names[attribute], kinds[attribute] = name, required[name]
        fields = [
            (attribute, kind) if names[attribute] in required else (attribute, kind | None, None)
            for attribute, kind in kinds.items()
        ]
        return msgspec.defstruct(
            "Line", fields, tag_field=self.tag_field, tag=phase, rename=names, kw_only=True, gc=False
        )
