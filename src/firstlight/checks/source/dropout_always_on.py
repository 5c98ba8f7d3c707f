"""Functional dropout that evaluation mode does not turn off.

## What it sees
`F.dropout(x)` in a module, without `training=self.training`: dropout is on by default, so predictions stay random after
`eval()`.

## When it is fine
Monte Carlo dropout needs exactly this; with an explicit `training=True` it is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.finding import Edit
from firstlight.records.source import SourceFile

NAMES = tuple(
    f"torch.nn.functional.{kind}" for kind in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout")
)
TRAINING = 2
"""The position of the parameter `training`."""


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls(*NAMES):
            if (
                "training" in call.keywords
                or "**" in call.keywords
                or len(call.args) > TRAINING
                or "mode_branch" in call.guards
            ):
                continue
            if "." not in call.function or call.spot.file != source.path:
                continue
            end = call.node
            place = Edit(
                line=end.end_lineno,
                column=end.end_col_offset - 1,
                end_line=end.end_lineno,
                end_column=end.end_col_offset - 1,
                text=", training=self.training",
            )
            simple = source.lines[end.end_lineno - 1].encode()[: end.end_col_offset - 1].rstrip()[-1:] not in (
                b",",
                b"(",
            )
            yield Evidence(
                where=call.spot.where,
                saw="`dropout` is called without `training=`, which is `True` by default",
                wanted="`training=self.training`, so that `eval()` turns it off",
                edits=(place,) if simple and call.function.endswith(".forward") else (),
            )


CHECK = Check(
    id="FL734",
    summary="dropout stays on in evaluation",
    causes=("train-mode",),
    likely="`F.dropout` does not follow the mode of the module",
    fix="pass `training=self.training`, or use `nn.Dropout`",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
