"""Different symbols of a text get the same id, and the answer depends on which of them it was.

## What it sees
The program holds the texts from which its rows of ids were made, in a variable or in its data set. How often a symbol
(a character, a word or a whole value) occurs in a text follows exactly from the ids. For some symbols, only the sum of
several follows: they were made one on the way, by lower-casing, stripping accents or hashing. What is lost by that
predicts what the ids leave open: a simple fit to the ids explains far less of the target than one that is also told
these symbols apart.

## When it is fine
If the target does not depend on which of the symbols it was, merging them costs nothing, and nothing is reported. Texts
that are let go before training starts are not seen, nor are those that are cut off or of which symbols are dropped.
Rows of ids with more different ids than a fifth of the rows are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    gained: float = 0.15
    """Smallest share of the target that only the fit that is told the symbols apart explains."""
    left: float = 0.75
    """Largest share that this fit leaves unexplained, relative to that of the fit to the ids."""


def find(relations: Relations, limits: Limits) -> Found:
    merged = relations.seen.merged
    if not merged.groups or not merged.apart - merged.fed >= limits.gained:
        return
    if not 1 - merged.apart <= limits.left * (1 - merged.fed):
        return
    told = ", ".join(" and ".join(f"`{one}`" for one in group) for group in merged.groups)
    more = f" and {merged.count - len(merged.groups)} more" if merged.count > len(merged.groups) else ""
    yield Evidence(
        where=at(relations.seen.site, step=relations.seen.step, rank=relations.rank),
        saw=f"some {merged.level} of the texts share an id ({told}{more}); a simple fit to the ids of {merged.rows} "
        f"texts explains {max(0.0, merged.fed):.0%} of the target, and {merged.apart:.0%} if it is told them apart",
        wanted="ids that differ where the target does",
        numbers={"fed": merged.fed, "apart": merged.apart, "groups": merged.count},
    )


CHECK = Check(
    id="FL169",
    summary="different symbols of a text get the same id, and the answer depends on which of them it was",
    causes=("data-tokenizer", "data-degenerate"),
    likely="the text is lower-cased, stripped or hashed before it is looked up, or the vocabulary maps both to one id",
    fix="tokenize one text and decode it again: what is not the same has been lost; leave out that step",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
