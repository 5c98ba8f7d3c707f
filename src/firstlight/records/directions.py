"""Which way a number improves, by the names people give to it."""

import re

GROWS = re.compile(
    r"(?:^|_|\b)(?:acc|accuracy|f1|auc|auroc|iou|miou|dice|map|recall|precision|bleu|psnr|ssim|r2)(?:$|_|\d|\b)",
    re.IGNORECASE,
)
FALLS = re.compile(r"loss|err(?:or)?(?:$|_)|rmse|mae|mse|perplexity|ppl|nll", re.IGNORECASE)


def grows(name: str) -> bool | None:
    """None where the name says neither, or both."""
    larger, smaller = bool(GROWS.search(name)), bool(FALLS.search(name))
    return larger if larger != smaller else None
