"""What is likely before anything is seen, as shares that sum to 1."""

from collections.abc import Iterable

from firstlight.diagnosis.knowledge.knowledge_base import UNKNOWN, KnowledgeBase
from firstlight.diagnosis.knowledge.priors import BUG_SHARE, COUNTED, COUNTED_SHARE
from firstlight.errors import UsageError

NOTHING_WRONG = "null"


def prior(base: KnowledgeBase, context: Iterable[str] = ()) -> dict[str, float]:
    """Causes of a domain have a share only where the context gives them one."""
    bugs = _blended({cause.slug: cause.prior for cause in base.causes if _is_bug(cause.category)})
    given: dict[str, float] = {}
    for name in sorted(set(context)):
        if name not in base.context:
            raise UsageError(f"`{name}` is not a known context. Known contexts are {', '.join(sorted(base.context))}.")
        for word, factor in base.context[name].times:
            for slug in base.matching(word):
                bugs[slug] = bugs.get(slug, 0.0) * factor
        given.update(base.context[name].gives)
    rest = {cause.slug: cause.prior for cause in base.causes if not _is_bug(cause.category)}
    shared = _scaled(bugs, BUG_SHARE * (1.0 - sum(given.values())))
    domain = {slug: BUG_SHARE * share for slug, share in given.items()}
    return {slug: shared.get(slug, 0.0) + domain.get(slug, 0.0) for slug in bugs} | _scaled(rest, 1.0 - BUG_SHARE)


def _is_bug(category: str) -> bool:
    return category not in {NOTHING_WRONG, UNKNOWN}


def _blended(table: dict[str, float]) -> dict[str, float]:
    """The table, mixed with the counts; within a line of counts causes keep the table's proportions."""
    total = sum(count for count, _ in COUNTED)
    counted: dict[str, float] = {}
    for count, words in COUNTED:
        counted |= _scaled({slug: table[slug] for slug in words.split() if slug in table}, count / total)
    return {
        slug: (1.0 - COUNTED_SHARE) * share + COUNTED_SHARE * counted.get(slug, 0.0)
        for slug, share in _scaled(table, 1.0).items()
    }


def _scaled(weights: dict[str, float], total: float) -> dict[str, float]:
    present = sum(weights.values())
    return {slug: weight * total / present for slug, weight in weights.items()} if present else weights
