"""A run of ours as trackers take it: its curves under the names users know, its report, its files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.integrations.collecting import Collector
from firstlight.records import wire
from firstlight.records.curves import Logged
from firstlight.records.finding import Severity
from firstlight.records.report import Report
from firstlight.store.event_log import LineReader
from firstlight.store.run_directory import RunDirectory

OF_STEP = {
    "loss": "train/loss",
    "lr": "train/learning_rate",
    "grad_norm": "train/grad_norm",
    "param_norm": "train/param_norm",
    "clip_coef": "train/clip_coef",
    "amp_scale": "train/amp_scale",
    "step_s": "train/step_seconds",
    "data_wait_s": "train/data_wait_seconds",
    "samples_per_s": "train/samples_per_second",
}
OF_EPOCH = {"train_loss": "train/epoch_loss", "val_loss": "eval/loss", "accuracy": "eval/accuracy"}
"""Hugging Face's names, which W&B, trackio and TensorBoard users see most."""


@dataclass(frozen=True, slots=True)
class Recorded:
    run: RunDirectory
    report: Report
    logged: Logged

    @property
    def summary(self) -> dict[str, str | float]:
        """What is compared between runs."""
        found = {f"firstlight/{severity.value}s": float(self._count(severity)) for severity in Severity}
        cause = self.report.diagnosis[0] if self.report.diagnosis else None
        named: dict[str, str | float] = {"firstlight/verdict": self.report.verdict.value, **found}
        if cause is not None:
            named |= {"firstlight/cause": cause.cause, "firstlight/cause_probability": cause.probability}
        return named

    def _count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.report.findings)

    @property
    def files(self) -> list[Path]:
        return [path for path in (self.run.report, self.run.page) if path.is_file()]

    def rows(self) -> Iterator[tuple[int, dict[str, float]]]:
        """All values of one step together, in the order of the steps."""
        by_step: dict[int, dict[str, float]] = {}
        for curve in self.logged.curves:
            for step, value in zip(curve.steps, curve.values, strict=True):
                by_step.setdefault(step, {})[curve.name] = value
        yield from sorted(by_step.items())

    def findings_markdown(self) -> str:
        lines = [f"**{self.report.verdict.value}**" + (f": {self.report.reason}" if self.report.reason else ""), ""]
        for finding in self.report.findings:
            place = f" `{finding.where.file}:{finding.where.line}`" if finding.where.file else ""
            lines.append(
                f"- **{finding.severity.value}[{finding.id}] {finding.name}**{place}: {finding.saw}. {finding.do}"
            )
        return "\n".join(lines)


def curves_of(run: RunDirectory) -> Logged:
    """Of the program itself, on its first rank; its changed copies are in the report."""
    collector = Collector(run.id)
    step = 0
    for event in LineReader(run.events).new():
        if event.get("timeline") is not None or event.get("rank"):
            continue
        phase = event["phase"]
        if phase == "step" and type(event.get("step")) is int:
            step = event["step"]
            _add(collector, step, {OF_STEP[key]: event.get(key) for key in OF_STEP}, _optimizer(event))
        elif phase == "epoch_complete":
            _add(collector, step, {OF_EPOCH[key]: event.get(key) for key in OF_EPOCH})
            _add(collector, step, _metrics(event, "eval"))
        elif phase == "eval_complete":
            _add(collector, step, _metrics(event, str(event.get("split", "eval"))))
    return collector.done()


def _optimizer(event: Mapping[str, Any]) -> str:
    """The second network of a GAN has curves of its own."""
    seen = event.get("observed")
    number = seen.get("optimizer", 0) if isinstance(seen, dict) else 0
    return f"_{number}" if isinstance(number, int) and number > 0 else ""


def _metrics(event: Mapping[str, Any], split: str) -> dict[str, Any]:
    found = event.get("metrics")
    return {f"{split}/{name}": value for name, value in found.items()} if isinstance(found, dict) else {}


def _add(collector: Collector, step: int, values: Mapping[str, Any], suffix: str = "") -> None:
    for name, value in values.items():
        number = wire.number(value)
        if number is not None:
            collector.add(name + suffix, step, number)
