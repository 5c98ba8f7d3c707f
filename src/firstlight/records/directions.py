"""Which way a number improves, by the names people give to it."""

import re

GROWS = re.compile(
    r"(?:^|_|\b)(?:acc|accuracy|f1|auc|auroc|auprc|iou|miou|dice|map|recall|precision|bleu|rouge|psnr|ssim|r2|exact|match"
    r"|ndcg|mrr|mcc|kappa)(?:$|_|\d|\b)",
    re.IGNORECASE,
)
FALLS = re.compile(
    r"loss|err(?:or)?(?:$|_)|rmse|mae|mse|mape|perplexity|ppl|nll|(?:^|_|\b)(?:cer|wer|bpc|bpd)(?:$|_|\b)",
    re.IGNORECASE,
)


def grows(name: str) -> bool | None:
    """None where the name says neither, or both."""
    larger, smaller = bool(GROWS.search(name)), bool(FALLS.search(name))
    return larger if larger != smaller else None
