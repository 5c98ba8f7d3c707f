"""A value is compared with NaN, which is never true.

## What it sees
`== float('nan')`, `== np.nan`, `!= math.nan` and similar comparisons.

## When it is fine
Never: NaN equals nothing, not even itself.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

NANS = frozenset({"numpy.nan", "numpy.NaN", "numpy.NAN", "math.nan", "torch.nan"})


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Compare):
        sides = (node.left, *node.comparators)
        if not any(_is_nan(source, side) for side in sides) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            continue
        always = "false" if isinstance(node.ops[0], ast.Eq) else "true"
        yield Evidence(
            where=source.spot(node).where,
            saw=f"a comparison with NaN, which is always {always}",
            wanted="`torch.isnan(…)`, `np.isnan(…)` or `math.isnan(…)`",
        )


def _is_nan(source: SourceFile, node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(word))]):
            return word.strip().lower() == "nan"
    return source.full_name(node) in NANS


CHECK = Check(
    id="FL761",
    summary="a comparison with NaN is never true",
    causes=("num-nonfinite",),
    likely="NaN was taken for an ordinary value",
    fix="use `isnan`",
    severity=Severity.ERROR,
    confidence=0.98,
    find=find,
)
