"""The second round as a section of the page: the first look, and what became of it after mending."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from public_second import GIVEN, SECOND, SECOND_HELD
from public_second_faults import CAUSES_HELD, SECOND_FAULTS


def section(known: dict[str, Any]) -> str:
    programs = [(one, known[one.name]) for one in SECOND if "check" in known.get(one.name, ())]
    faults = [(one, known[key]) for one in SECOND_FAULTS if (key := f"{one.program}: {one.words}") in known]
    verdicts = Counter(made["check"]["verdict"] for _, made in programs)
    caught = [one for one, _ in faults if CAUSES_HELD.get((one.program, one.words), "").startswith("right")]
    return f"""## Second round: tables, pictures and a few series, 18 November 2026

Programs that nobody here had seen before, unchanged, looked at once before anything was mended for them; where
something was, what is told since stands beside it. The machine was shared with up to a dozen other processes, so that
few steps were seen. Not told of `heart-failure`: 5,000 rows are 1,320 different ones, so that its split shares rows; that
it also scores the whole table at its end is taken for the purpose.

{len(programs)} programs at the first look: {", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())}.

| program | from | data | first look | learns | told, and what we hold of it | after mending | seconds |
|---|---|---|---|---|---|---|---|
{_lines(_program(one, made) for one, made in programs)}

## Faults planted in the second round

{len(faults)} of {len(SECOND_FAULTS)} were run, one at a time; {len(caught)} were told at the first look. What else is told is true of the
program without the fault.

| flow | program | planted | first look | told | the cause | after mending |
|---|---|---|---|---|---|---|
{_lines(_fault(one, made) for one, made in faults)}
"""


def _program(program: Any, made: dict[str, Any]) -> tuple[str, ...]:
    first = made["check"]
    held = [f"{_short(one)}: {SECOND_HELD.get((program.name, one['id']), 'not judged yet')}" for one in _loud(first)]
    words = first["reason"] if first["verdict"] in ("unjudged", "no report") else ""
    return (
        program.name,
        f"{program.repository} `{program.command.split()[0]}`",
        GIVEN[program.name],
        first["verdict"] + (f": {words}" if words else ""),
        f"{first['learns']}",
        "<br>".join(held),
        _again(made),
        f"{first['seconds']}",
    )


def _fault(fault: Any, made: dict[str, Any]) -> tuple[str, ...]:
    first = made["check"]
    told = "<br>".join(map(_short, _loud(first)))
    held = CAUSES_HELD.get((fault.program, fault.words), "not judged yet" if told else "missed")
    return (fault.flow, fault.program, fault.words, first["verdict"], told, held, _again(made))


def _again(made: dict[str, Any]) -> str:
    if "again" not in made:
        return ""
    return "<br>".join([made["again"]["verdict"], *map(_short, _loud(made["again"]))])


def _loud(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in found["findings"] if one["severity"] != "note"]


def _short(one: dict[str, Any]) -> str:
    return f"{one['severity']} {one['id']} {one['name']} at {one['line']}"


def _lines(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
