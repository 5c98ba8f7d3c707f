"""The words for what a verdict is worth and for what bears witness, shared by all formats."""

from collections.abc import Iterator

from firstlight.records.assurance import Assurance, Learns, Rehearsed
from firstlight.records.finding import Finding
from firstlight.records.learning import CERTIFIED, NO_SIGN


def rows(assurance: Assurance | None) -> Iterator[tuple[str, str]]:
    """A label and a sentence for each thing that was made sure of."""
    if assurance is None:
        return
    if assurance.learns is not None:
        yield "learns", _learns(assurance.learns)
    if (heart := assurance.by_heart) is not None:
        yield "by heart", f"one batch, repeated: {heart.first:.3g} → {heart.last:.3g} in {heart.steps} steps"
    if (beside := assurance.beside) is not None:
        plain = f"a simple model fitted to {beside.rows} of its examples: {beside.plain:.2f}"
        yield "skill", f"{beside.own:.2f} by step {beside.step}; {plain} (0: a constant prediction, 1: never wrong)"
    if (returns := assurance.returns) is not None:
        seen = "whole run" if returns.to_end else "part that was observed"
        told = f"{returns.first:.3g} → {returns.last:.3g} in {returns.episodes} episodes"
        yield "returns", f"{told} (the first few against the last quarter of the {seen})"
    if assurance.rehearsal is not None:
        yield "whole", _rehearsed(assurance.rehearsal)
        if expected := _expected(assurance.rehearsal):
            yield "in full", expected
        if assurance.rehearsal.curves:
            yield "logged", _told(assurance.rehearsal)
    if assurance.sensitivity:
        told = ", ".join(f"{flow} {share:.0%}" for flow, share in assurance.sensitivity.items())
        yield "noticed", f"of the faults planted in it: {told}"


def _rehearsed(seen: Rehearsed) -> str:
    counted = (("epoch", seen.epochs), ("evaluation", seen.evaluations), ("checkpoint", seen.checkpoints))
    counts = ", ".join(f"{count} {word}{'s' * (count != 1)}" for word, count in counted)
    if seen.reached_end:
        return f"reached the last line in {seen.seconds:.0f} s: {counts}"
    place = f" at {seen.stopped_at}" if seen.stopped_at else ""
    doubt = ", possibly because it was shortened" if seen.by_shortening else ""
    return f"stopped{place} after {seen.seconds:.0f} s ({counts}): {seen.why or 'no reason was given'}{doubt}"


def _expected(seen: Rehearsed) -> str:
    """What the whole program will take, by what the shortened one took."""
    told = []
    if seen.full_seconds is not None and seen.reached_end:
        told.append(f"up to {duration(seen.full_seconds)} here")
    if seen.full_bytes and seen.reached_end:
        told.append(f"up to {size(seen.full_bytes)} of files")
    if seen.peak_bytes:
        told.append(f"at least {size(seen.peak_bytes)} of memory")
    return ", ".join(told)


def _told(seen: Rehearsed) -> str:
    """The first few numbers with their names, from the first to the last value; they are those of few rounds."""
    shown = list(seen.curves.items())[:MOST_TOLD]
    more = f" and {len(seen.curves) - len(shown)} more" * (len(seen.curves) > len(shown))
    told = ", ".join(f"{name} {' → '.join(f'{value:.3g}' for value in _ends(values))}" for name, values in shown)
    return f"{told}{more}, in the shortened run"


def _ends(values: tuple[float, ...]) -> tuple[float, ...]:
    return (values[0], values[-1]) if len(values) > 1 else values


MOST_TOLD = 6


def duration(seconds: float) -> str:
    for unit, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def size(count: int) -> str:
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count / 1024:.0f} kB"


def _learns(learns: Learns) -> str:
    if learns.status not in (CERTIFIED, NO_SIGN):
        return f"not certified: {learns.reason}"
    blind = "" if learns.without_inputs is None else f"; without using the inputs {learns.without_inputs:.3g}"
    blind += "" if learns.guess is None else f"; the best constant prediction gets {learns.guess:.3g}"
    course = "" if learns.first is None or learns.last is None else f"{learns.first:.3g} → {learns.last:.3g} "
    told = f"{course}in {learns.steps} steps{blind}"
    return told if learns.status == CERTIFIED else f"no sign of learning: {told}"


def further_witnesses(finding: Finding) -> list[str]:
    """Everything that speaks for an incident beside the sighting shown, one line each."""
    own = next(iter(finding.witnesses), None)
    others = [one for one in finding.witnesses if one is not own and one.says not in finding.likely]
    return [f"{one.id} ({one.kind}){f' at {one.where}' if one.where else ''}: {one.says}" for one in others]
