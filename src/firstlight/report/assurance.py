"""The words for what a verdict is worth and for what bears witness, shared by all formats."""

from collections.abc import Iterator

from firstlight.records.assurance import Assurance, Learns
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
    if (seen := assurance.rehearsal) is not None:
        counts = f"{seen.epochs} epochs, {seen.evaluations} evaluations, {seen.checkpoints} checkpoints"
        reached = "reached the last line" if seen.reached_end else f"stopped at {seen.stopped_at}"
        yield "rehearsed", f"{reached} in {seen.seconds:.0f} s: {counts}"
    if assurance.sensitivity:
        told = ", ".join(f"{flow} {share:.0%}" for flow, share in assurance.sensitivity.items())
        yield "noticed", f"of faults planted in it: {told}"


def _learns(learns: Learns) -> str:
    if learns.status not in (CERTIFIED, NO_SIGN):
        return f"not certified: {learns.reason}"
    blind = "" if learns.without_inputs is None else f"; without looking at the inputs {learns.without_inputs:.3g}"
    course = "" if learns.first is None or learns.last is None else f"{learns.first:.3g} → {learns.last:.3g} "
    told = f"{course}in {learns.steps} steps{blind}"
    return told if learns.status == CERTIFIED else f"no sign of it: {told}"


def further_witnesses(finding: Finding) -> list[str]:
    """Everything that speaks for an incident beside the sighting shown, one line each."""
    own = next(iter(finding.witnesses), None)
    others = [one for one in finding.witnesses if one is not own and one.says not in finding.likely]
    return [f"{one.id} ({one.kind}){f' at {one.where}' if one.where else ''}: {one.says}" for one in others]
