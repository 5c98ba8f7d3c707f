"""`firstlight lint`: silent training bugs found in the source, without running it."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from firstlight import linting
from firstlight.cli.rendering import asked, deliver, form_option, output_option, words_in
from firstlight.cli.say import say
from firstlight.findings import baseline as baselines
from firstlight.findings.repair import difference, repaired
from firstlight.judge.verdict import exit_code
from firstlight.observe.inside import cores
from firstlight.observe.source.files import discover
from firstlight.observe.source.reading import LARGEST_BYTES
from firstlight.records.finding import Finding
from firstlight.records.printable import printable
from firstlight.settings import enabled, load
from firstlight.store import plain_files
from firstlight.store.run_directory import FOLDER

BASELINE = "firstlight-baseline.json"


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--fix", is_flag=True, help="Rewrite files where the fix is certain.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--select", help="Run only these checks: ids or names, separated by commas.")
@click.option("--ignore", help="Skip these checks.")
@click.option("--strict", is_flag=True, default=None, help="Warnings make the exit code 1 too.")
@form_option
@output_option
@click.option("--statistics", is_flag=True, help="Count findings by check instead of listing them.")
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Report only findings that are not in this file.",
)
@click.option("--write-baseline", is_flag=True, help="Write the current findings to the baseline file.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes to use; by default, one per core.")
@click.option("--no-cache", is_flag=True, help=f"Read every file again, and keep nothing in {FOLDER}/cache.")
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[Path, ...],
    fix: bool,
    diff: bool,
    select: str | None,
    ignore: str | None,
    strict: bool | None,
    form: str,
    output: Path | None,
    statistics: bool,
    baseline: Path | None,
    write_baseline: bool,
    jobs: int | None,
    no_cache: bool,
) -> None:
    """Find silent training bugs in Python files and notebooks, without running them.

    \b
    firstlight lint                     # everything below the current folder
    firstlight lint train.py models/    # files and folders
    firstlight lint --diff              # what --fix would change

    Nothing is imported or run. A comment `# firstlight: ignore[name] reason` on a line allows a finding there. Exit
    code: 0 judged clean (warnings allowed unless --strict), 1 judged ill, 2 could not judge, 3 a fault of firstlight.
    """
    settings = load(Path.cwd(), select=words_in(select), ignore=words_in(ignore), strict=strict)
    checks = enabled(settings)
    files = discover(paths or (Path(),))
    cache = None if no_cache else Path(FOLDER) / "cache"
    linted = linting.lint(files, checks, Path.cwd(), cache, jobs or cores.usable())
    findings = linted.findings
    if fix or diff:
        findings = _repair(findings, write=fix and not diff)
        if diff:
            context.exit(0 if len(findings) == len(linted.findings) else 1)
    if write_baseline:
        count = baselines.write(baseline or Path(BASELINE), findings)
        say(f"{count} findings are in {baseline or BASELINE}; with --baseline only new ones are reported.", err=True)
        context.exit(0)
    if baseline is not None:
        findings, _known = baselines.new_only(findings, baselines.read(baseline))
    report = linting.report(linted, findings, checks, tuple(map(str, paths)))
    deliver(replace(asked(report, strict=settings.strict), statistics=statistics), form, output)
    context.exit(exit_code(report, settings.strict))


def _repair(findings: tuple[Finding, ...], write: bool) -> tuple[Finding, ...]:
    """The findings that are left once the certain repairs are made; each changed file is shown, or written."""
    left = list(findings)
    by_file: dict[str | None, list[Finding]] = {}
    for finding in findings:
        by_file.setdefault(finding.where.file, []).append(finding)
    for name in dict.fromkeys(finding.where.file for finding in findings if finding.edits and finding.where.file):
        path = Path(name)
        before = plain_files.contents(path, LARGEST_BYTES, follow=True)
        done = repaired(before, by_file[name])
        if done.data == before:
            continue
        if write:
            plain_files.replace(path, done.data, path.stat().st_mode)
        else:
            change = difference(before, done.data, name)
            click.echo(printable(change) if sys.stdout.isatty() else change, nl=False)  # else `patch` may read it
        fixed = set(map(id, done.fixed))
        left = [finding for finding in left if id(finding) not in fixed]
    if write and len(left) < len(findings):
        say(f"{len(findings) - len(left)} findings fixed", err=True)
    return tuple(left)
