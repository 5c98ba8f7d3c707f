"""An averaged copy is used in eval mode with running statistics that were never updated.

## What it sees
A copy of the model follows its weights and has batch norms in eval mode. The running means and variances of the copy
are still at their initial values, while those of the model have moved: current weights with outdated statistics.

## When it is fine
The statistics are copied or averaged together with the weights, or recomputed (`torch.optim.swa_utils.update_bn`).
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.copies import CopySeen


def find(copy: CopySeen, _limits: NoLimits) -> Found:
    if not copy.stale or copy.stale < copy.statistics or not copy.moved:
        return
    yield Evidence(
        where=at(copy.site, module=copy.name or copy.model, step=copy.step, rank=copy.rank),
        saw=f"the weights of `{copy.name or copy.model}` moved, its {copy.stale} running statistics are still at their "
        "initial values, and it is called in eval mode",
        wanted="running statistics that belong to the weights",
        numbers={"stale": copy.stale, "moved": copy.moved},
    )


CHECK = Check(
    id="FL344",
    summary="an averaged copy is evaluated with the batch statistics it started with",
    causes=("train-ema", "arch-norm"),
    likely="only `parameters()` are averaged, and the running means and variances are buffers",
    fix="copy the buffers too (`AveragedModel(model, use_buffers=True)`), or call `update_bn` before it is evaluated",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
