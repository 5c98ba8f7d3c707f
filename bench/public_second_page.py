"""The later rounds as sections of the page: the first look, and what became of it after mending."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from public_programs import PROGRAMS
from public_second import GIVEN, SECOND, SECOND_HELD
from public_second_faults import CAUSES_HELD, SECOND_FAULTS
from public_third import AGAIN_HELD, THIRD, THIRD_GIVEN, THIRD_HELD


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


def third(known: dict[str, Any]) -> str:
    programs = [(one, known[one.name]) for one in THIRD if "check" in known.get(one.name, ())]
    earlier = [(one.name, known[one.name]) for one in (*PROGRAMS, *SECOND) if "that day" in known.get(one.name, ())]
    verdicts = Counter(made["check"]["verdict"] for _, made in programs)
    return f"""## Third round: acting, equations, flows, graphs, series and voices, 20 November 2026

As in the second round. 2 cores shared with several other helpers' programs, Python 3.11, torch 2.13; in place of
torchvision, matplotlib and gymnasium stood a few lines that do what the programs ask of them.

{len(programs)} programs at the first look: {", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())}.

| program | from | data | first look | learns | told, and what we hold of it | after mending | seconds |
|---|---|---|---|---|---|---|---|
{_lines(_program(one, made) for one, made in programs)}

## Earlier programs looked at again, 20 November 2026

By everything that was added since. First what was told on that day, then what after mending.

| program | verdict then | that day | told, and what we hold of it | after mending |
|---|---|---|---|---|
{_lines(_earlier(*row) for row in earlier)}
"""


def _earlier(name: str, made: dict[str, Any]) -> tuple[str, ...]:
    that_day = made["that day"]
    held = [f"{_short(one)}: {AGAIN_HELD.get((name, one['id']), 'as before')}" for one in _loud(that_day)]
    then = made["check"]["verdict"] if "check" in made else ""
    return (name, then, that_day["verdict"], "<br>".join(held), _again(made, "mended"))


ALL_GIVEN, ALL_HELD = GIVEN | THIRD_GIVEN, SECOND_HELD | THIRD_HELD


def _program(program: Any, made: dict[str, Any]) -> tuple[str, ...]:
    first = made["check"]
    held = [f"{_short(one)}: {ALL_HELD.get((program.name, one['id']), 'not judged yet')}" for one in _loud(first)]
    words = first["reason"] if first["verdict"] in ("unjudged", "no report") else ""
    return (
        program.name,
        f"{program.repository} `{program.command.split()[0]}`",
        ALL_GIVEN[program.name],
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


def _again(made: dict[str, Any], key: str = "again") -> str:
    return "<br>".join([made[key]["verdict"], *map(_short, _loud(made[key]))]) if key in made else ""


def _loud(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in found["findings"] if one["severity"] != "note"]


def _short(one: dict[str, Any]) -> str:
    return f"{one['severity']} {one['id']} {one['name']} at {one['line']}"


def _lines(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
