"""How often curves alone name the cause, and how often they call a healthy program ill.

    python bench/curves.py CORPUS [--seconds 10] [--steps 400] > bench/results/curves.md

CORPUS holds `cases/<id>/train.py` with a `case.json` (accepted causes, or `"kind": "healthy"`) and, for bugs, the
repaired program as `fixed.py`. Each runs for a few seconds only to write down what any logger would: loss, learning
rate, gradient norm. `firstlight diagnose --from` then sees those curves and nothing else.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from firstlight import hindsight
from firstlight.errors import FirstlightError
from firstlight.integrations.recorded import recorded
from firstlight.records.report import Report
from firstlight.settings import load
from firstlight.store.run_directory import RunDirectory

FIRST_THREE = 3


@dataclass(frozen=True)
class Judged:
    case: str
    causes: tuple[str, ...]
    """None for a healthy program."""
    report: Report | None

    @property
    def ranked(self) -> list[str]:
        return [one.cause for one in self.report.diagnosis] if self.report else []

    @property
    def verdict(self) -> str:
        return self.report.verdict.value if self.report else "not run"


def judged(program: Path, name: str, causes: tuple[str, ...], budget: list[str]) -> Judged:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(program.parent, folder, dirs_exist_ok=True)
        shutil.copy(program, Path(folder) / "train.py")
        command = [sys.executable, "-m", "firstlight", "check", "--select", "value-nonfinite", *budget, "train.py"]
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=300)
        try:
            logged = recorded(RunDirectory.find(Path(folder), None)).logged
        except FirstlightError:
            return Judged(name, causes, None)
        return Judged(name, causes, hindsight.diagnose_curves(logged, load(Path(folder)), {}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--seconds", default="10")
    parser.add_argument("--steps", default="400")
    given = parser.parse_args()
    budget = ["--seconds", given.seconds, "--steps", given.steps]
    found = []
    for folder in sorted(path.parent for path in given.corpus.glob("cases/*/case.json")):
        told = json.loads((folder / "case.json").read_text(encoding="utf-8"))
        found.append(judged(folder / "train.py", folder.name, tuple(told.get("causes", ())), budget))
        if (folder / "fixed.py").exists():
            found.append(judged(folder / "fixed.py", f"{folder.name}, repaired", (), budget))
        print(found[-1].case, file=sys.stderr)
    show(found, budget)


def show(found: list[Judged], budget: list[str]) -> None:
    seen = [one for one in found if one.report is not None and one.verdict != "unjudged"]
    bugs, healthy = [one for one in seen if one.causes], [one for one in seen if not one.causes]
    told = [one for one in bugs if one.verdict != "clean"]
    print("# What curves alone can tell\n\nWritten by `bench/curves.py`, which says how it measures;")
    print(f"`{' '.join(budget)}`, 2 shared cores, Linux, Python {sys.version.split()[0]}.\n")
    print("| | |\n|---|---|")
    print(f"| programs with a bug | {len(bugs)} |")
    print(f"| whose curves show something | {len(told)} |")
    print(f"| the cause is ranked first | {sum(one.ranked[0] in one.causes for one in told if one.ranked)} |")
    print(f"| among the first three | {sum(bool({*one.ranked[:FIRST_THREE]} & {*one.causes}) for one in told)} |")
    print(f"| healthy programs | {len(healthy)} |")
    print(f"| called ill | {sum(one.verdict == 'ill' for one in healthy)} |")
    print(f"| told to look | {sum(one.verdict == 'warn' for one in healthy)} |")
    print(f"| not judged (no loss curve) | {len(found) - len(seen)} |\n")
    print("| program | verdict | what the curves show | cause | ranked |\n|---|---|---|---|---|")
    for one in found:
        shown = (one.report.reason or "") if one.report else ""
        print(
            f"| {one.case} | {one.verdict} | {shown} | {', '.join(one.causes)} | {', '.join(one.ranked[:FIRST_THREE])} |"
        )


if __name__ == "__main__":
    main()
