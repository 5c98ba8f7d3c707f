"""Inputs and labels are shuffled separately, each in its own order.

## What it sees
Two in-place shuffles, one right after the other, of names that mean inputs and labels, with no seed set between them.

## When it is fine
Setting the same seed before each keeps them together and is not reported.
"""

import ast
import itertools
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, SourceFile

SHUFFLES = ("numpy.random.shuffle", "random.shuffle")
INPUTS = re.compile(
    r"^(?:x|xs|data|inputs?|images?|imgs|features?|samples|texts?|sentences)(?:_\w+)?$|_x$", re.IGNORECASE
)
LABELS = re.compile(r"^(?:y|ys|labels?|targets?|classes|outputs)(?:_\w+)?$|_y$|_labels$", re.IGNORECASE)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        calls = [
            c
            for c in trace.calls()
            if c.target in SHUFFLES or "seed" in c.target or c.target.endswith(("set_state", "RandomState"))
        ]
        for first, second in itertools.pairwise(calls):
            if first.target not in SHUFFLES or second.target not in SHUFFLES or first.loops != second.loops:
                continue
            names = [_name(call) for call in (first, second)]
            paired = (INPUTS.search(names[0]) and LABELS.search(names[1])) or (
                LABELS.search(names[0]) and INPUTS.search(names[1])
            )
            if paired:
                yield Evidence(
                    where=second.spot.where,
                    saw=f"`{names[0]}` is shuffled at {first.spot} and `{names[1]}` here, each in its own order",
                    wanted="the same order for both",
                )


def _name(call: Call) -> str:
    node = call.node.args[0] if call.node.args else None
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


CHECK = Check(
    id="FL755",
    summary="inputs and labels are shuffled in different orders",
    causes=("data-label-misaligned",),
    likely="they are shuffled one after the other",
    fix="draw one permutation and index both with it",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
