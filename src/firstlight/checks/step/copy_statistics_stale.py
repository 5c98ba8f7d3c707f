"""An averaged copy is asked in eval mode with running statistics that were never brought up to date.

## What it sees
A copy of the model whose weights follow it, with batch norms in eval mode: their running means and variances stand
where they began, while those of the model moved. The weights are of today and the statistics of the first day.

## When it is fine
Statistics that are copied with the weights, averaged with them, or counted anew (`torch.optim.swa_utils.update_bn`).
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.copies import CopySeen


def find(copy: CopySeen, _limits: NoLimits) -> Found:
    if not copy.stale or copy.stale < copy.statistics or not copy.moved:
        return
    yield Evidence(
        where=at(copy.site, module=copy.name or copy.model, step=copy.step, rank=copy.rank),
        saw=f"the weights of `{copy.name or copy.model}` moved, its {copy.stale} running statistics stand where they "
        "began, and it is asked in eval mode",
        wanted="running statistics that belong to the weights",
        numbers={"stale": copy.stale, "moved": copy.moved},
    )


CHECK = Check(
    id="FL344",
    summary="an averaged copy is evaluated with the batch statistics it began with",
    causes=("train-ema", "arch-norm"),
    likely="only `parameters()` are averaged, and the running means and variances are buffers",
    fix="copy the buffers too (`AveragedModel(model, use_buffers=True)`), or call `update_bn` before it is evaluated",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
