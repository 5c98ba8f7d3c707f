"""`firstlight data`: what is wrong with the data, before a model is trained on them."""

from pathlib import Path

import click

from firstlight.cli.rendering import asked, deliver, form_option, words_in
from firstlight.cli.say import say
from firstlight.data.engine import require_engine
from firstlight.data.said import Said
from firstlight.errors import UsageError
from firstlight.judge.verdict import exit_code
from firstlight.settings import enabled, load
from firstlight.store import plain_files

PROFILE = "profile"


@click.command("data")
@click.argument("words", nargs=-1, metavar="[profile] TRAIN")
@click.option("--val", type=click.Path(path_type=Path), help="Validation data.")
@click.option("--test", type=click.Path(path_type=Path), help="Test data.")
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--time", metavar="COLUMN", help="The time of a row: training rows must not come after those evaluated.")
@click.option("--group", metavar="COLUMN", help="Whose row it is (patient, user): nobody may be in two splits.")
@click.option(
    "--schema",
    type=click.Path(path_type=Path),
    help="Rules, from `firstlight data profile`, that the data must satisfy.",
)
@click.option(
    "--tokenizer", type=click.Path(path_type=Path), help="A tokenizer.json: do texts survive encoding and decoding?"
)
@click.option("--encoding", help="Encoding of CSV files that are not UTF-8: latin-1, cp1252 …")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", help="How to read the files.")
@click.option("--select", help="Run only these checks: ids or names, separated by commas.")
@click.option("--ignore", help="Skip these checks.")
@click.option("--strict", is_flag=True, default=None, help="Warnings make the exit code 1 too.")
@form_option
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write the report, or the profile."
)
@click.pass_context
def command(
    context: click.Context,
    words: tuple[str, ...],
    val: Path | None,
    test: Path | None,
    target: str | None,
    time: str | None,
    group: str | None,
    schema: Path | None,
    tokenizer: Path | None,
    encoding: str | None,
    engine: str,
    select: str | None,
    ignore: str | None,
    strict: bool | None,
    form: str,
    output: Path | None,
) -> None:
    """Judge data before you train on it: tables, folders of images, saved datasets.

    \b
    firstlight data train.parquet --val val.parquet --target y
    firstlight data images/ --val held_out/               # one folder per class
    firstlight data profile good.parquet -o schema.toml   # describe good data
    firstlight data new.parquet --schema schema.toml      # … and check other data against it

    Reads Parquet, CSV, JSON lines, Arrow, saved Hugging Face datasets, and images, of any size: what does not fit in
    memory is sampled, and the report says so. Exit code: 0 judged clean (warnings allowed unless --strict), 1
    judged ill, 2 could not judge, 3 a fault of firstlight.
    """
    require_engine()
    from firstlight.data import judging, objects

    profiling = words[:1] == (PROFILE,)
    paths = words[1:] if profiling else words
    if len(paths) > 1:
        raise UsageError(
            f"several datasets were named: {', '.join(paths)}. Pass all but the first with `--val` and `--test`."
        )
    if not paths:
        raise UsageError("no data was named. `firstlight data train.parquet --target y` judges a table.")
    sources = objects.sources_of({"train": Path(paths[0]), "val": val, "test": test}, encoding)
    if profiling:
        _write(judging.profile(sources["train"], engine), output)
        return
    settings = load(Path.cwd(), select=words_in(select), ignore=words_in(ignore), strict=strict)
    said = Said(target=target, time=time, group=group, schema=schema, tokenizer=tokenizer, engine=engine)
    report = judging.judged(sources, said, enabled(settings), paths)
    deliver(asked(report, strict=settings.strict), form, output)
    context.exit(exit_code(report, settings.strict))


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.unlink(missing_ok=True)
        plain_files.create(output, text.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}.") from None
    say(
        f"{output} describes this data; `firstlight data NEW --schema {output}` checks other data against it.", err=True
    )
