"""The tokenizer, the data and the model do not use the same vocabulary.

## What it sees
The size of the declared tokenizer is compared with the rows of the embedding table that its ids go into, and with the
highest id of real batches. The check also counts the sequences that begin with two beginning-of-sequence tokens.

## When it is fine
A table somewhat larger than the vocabulary is padded to a round number for speed, and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Vocabulary


class Limits(Settable):
    doubled_share: float = 0.5
    """Largest share of the sequences that may begin with two such tokens; a few may quote one."""


def find(seen: Vocabulary, limits: Limits) -> Found:
    where = at(seen.site, module=seen.table, rank=seen.rank)
    if seen.size > seen.rows:
        yield Evidence(
            where=where,
            saw=f"the tokenizer has {seen.size} ids and `{seen.table}` has {seen.rows} rows",
            wanted=f"at least {seen.size} rows: an id beyond the last one crashes the run",
            likely="tokens were added to the tokenizer but not to the model, or it belongs to another model",
            do="`model.resize_token_embeddings(len(tokenizer))`, or build the model with that `vocab_size`",
            numbers={"vocabulary": seen.size, "rows": seen.rows},
        )
    elif seen.highest >= seen.size:
        yield Evidence(
            where=where,
            saw=f"the data contains id {seen.highest}, but the tokenizer has only {seen.size} ids",
            wanted=f"ids below {seen.size}",
            numbers={"highest": seen.highest, "vocabulary": seen.size},
        )
    if seen.sequences and seen.doubled > limits.doubled_share * seen.sequences:
        yield Evidence(
            where=where,
            saw=f"{seen.doubled} of {seen.sequences} sequences begin with two beginning-of-sequence tokens",
            wanted="one",
            severity=Severity.WARNING,
            likely="a template writes the token and the tokenizer adds another",
            do="pass `add_special_tokens=False` where a template has already written them",
            numbers={"doubled": seen.doubled, "sequences": seen.sequences},
        )


CHECK = Check(
    id="FL137",
    summary="tokenizer, data and embedding do not agree on the vocabulary",
    causes=("data-tokenizer",),
    likely="the data was encoded with a different tokenizer from the declared one",
    fix="encode the data again with the tokenizer that the model was built for",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
