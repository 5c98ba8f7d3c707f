"""pairs-pushed-apart: what is seen, and what is not."""

import pytest
from tests.checks.source.conftest import Lint

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
"""
BAD = [
    """
def loss(anchor, positive, negative, margin):
    ap = F.cosine_similarity(anchor, positive)
    an = F.cosine_similarity(anchor, negative)
    return F.relu(ap - an + margin).mean()
""",
    """
class Loss(nn.Module):
    def forward(self, a, p, n):
        return torch.clamp(self.margin + F.cosine_similarity(a, p) - F.cosine_similarity(a, n), min=0).mean()
""",
    """
def loss(anchor, z_pos, z_neg):
    d_pos = F.pairwise_distance(anchor, z_pos)
    d_neg = F.pairwise_distance(anchor, z_neg)
    difference = d_neg - d_pos + 0.2
    return difference.clamp(min=0).mean()
""",
    """
def loss(anchor, positive, negative):
    return F.relu((1 - F.cosine_similarity(anchor, negative)) - (1 - F.cosine_similarity(anchor, positive)) + 0.3)
""",
    """
criterion = nn.TripletMarginWithDistanceLoss(distance_function=nn.CosineSimilarity(dim=1), margin=0.3)
""",
    """
def loss(a, p, n):
    return F.triplet_margin_with_distance_loss(a, p, n, distance_function=F.cosine_similarity)
""",
]
GOOD = [
    """
def loss(anchor, positive, negative, margin):
    ap = F.cosine_similarity(anchor, positive)
    an = F.cosine_similarity(anchor, negative)
    return F.relu(an - ap + margin).mean()
""",
    """
def loss(anchor, positive, negative):
    return F.relu(F.pairwise_distance(anchor, positive) - F.pairwise_distance(anchor, negative) + 0.3).mean()
""",
    """
def loss(anchor, positive, negative):
    d_pos = 1 - F.cosine_similarity(anchor, positive)
    d_neg = 1 - F.cosine_similarity(anchor, negative)
    return F.relu(d_pos - d_neg + 0.3).mean()
""",
    """
def gap(anchor, positive, negative):  # no margin: a score, not a loss
    return F.relu(F.cosine_similarity(anchor, positive) - F.cosine_similarity(anchor, negative))
""",
    """
def loss(anchor, one, two, margin):  # the names do not say which is which
    return F.relu(F.cosine_similarity(anchor, one) - F.cosine_similarity(anchor, two) + margin).mean()
""",
    """
criterion = nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(), margin=0.3)
other = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b))
""",
]


@pytest.mark.parametrize("code", BAD)
def test_found(lint: Lint, code: str) -> None:
    assert len(lint(HEAD + code, "pairs-pushed-apart")) == 1


@pytest.mark.parametrize("code", GOOD)
def test_quiet(lint: Lint, code: str) -> None:
    assert lint(HEAD + code, "pairs-pushed-apart") == []
