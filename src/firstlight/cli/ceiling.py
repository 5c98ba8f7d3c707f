"""`firstlight ceiling`: how low could the loss get, and what is in the way?"""

from functools import partial
from typing import Any

import click

from firstlight.cli.laboratory import asked_of_copies, delivered, on_copies
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport

STEPS = 300


@click.command("ceiling", context_settings={"allow_interspersed_args": False})
@on_copies(STEPS, least=20)
@click.option("--oracle", metavar="STAGE=MODULE:FUNCTION", help="Try perfect outputs for one stage of the model.")
@delivered
def command(words: tuple[str, ...], oracle: str | None, **asked: Any) -> LabReport:
    """Measure how low the loss of a script can get, and name what keeps it from going lower.

    \b
    firstlight ceiling train.py --epochs 3
    firstlight ceiling --steps 1000 train.py
    firstlight ceiling --oracle encoder=truth:codes train.py

    With `--oracle`, the output of the model's module `encoder` is replaced in a copy by what `codes(made, batch)` of
    truth.py returns: how low would the loss get if that stage were perfect?

    Exit code: 0 answered, 2 could not answer, 130 interrupted (the same command continues from there).
    """
    from firstlight.lab.ceiling import TAPS, Oracle, ceiling

    declared = Oracle(*_parts(oracle)) if oracle is not None else None
    ask = partial(ceiling, oracle=declared)
    return asked_of_copies("ceiling", ask, words, **asked, taps=TAPS, also=oracle)


def _parts(oracle: str) -> tuple[str, str]:
    stage, _, function = oracle.partition("=")
    module, _, name = function.partition(":")
    if not (stage and module and name):
        raise UsageError(
            f"`--oracle {oracle}` is not STAGE=MODULE:FUNCTION: a module of the model, and the function that "
            "replaces its output, such as `encoder=truth:codes`."
        )
    return stage, function
