"""Late crashes and faults of a program's later life, planted in small programs: does a rehearsal tell them, and where?

Healthy programs of the zoo beside them (of the tune half): do they reach their last line, and leave nothing behind?

python bench/rehearsal.py                      # all of them; writes bench/results/rehearsal.md
python bench/rehearsal.py --only crash         # those with the word in their name; the other rows stay as they are
python bench/rehearsal.py --missing            # those that have no row yet
python bench/rehearsal.py --report-half        # the programs nobody looks at: their counts alone
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from zoo import programs  # noqa: E402  # of the same checkout, which is not installed
from zoo.split import half_of_program  # noqa: E402  # as above

RESULTS = ROOT / "bench" / "results" / "rehearsal.md"
HEAD = """import copy, json
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
x = 2 + torch.randn(430, 6)
y = (x[:, 0] + x[:, 1] * x[:, 2] > 6).long()


def evaluate(model):
    model.eval()
    right, error = 0, 0.0
    with torch.no_grad():
        for rows in torch.arange(400, 430).split(8):
            answers = model(x[rows])
            right += (answers.argmax(1) == y[rows]).sum().item()
            error += F.cross_entropy(answers, y[rows]).item()
            #IN EVALUATION
    return right / 30, error / 4


"""
SETUP = """{s}model = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
{s}ema = copy.deepcopy({s}model)
{s}optimizer = torch.optim.Adam({s}model.parameters(), lr=1e-2)
{s}plateau = torch.optim.lr_scheduler.ReduceLROnPlateau({s}optimizer, mode="max", patience=20)
{s}best = 0.0
{s}kept = None
"""
TRAIN = """for epoch in range(2000):
    {s}model.train()
    for rows in torch.randperm(400).split(40):
        loss = F.cross_entropy({s}model(x[rows]), y[rows])
        {s}optimizer.zero_grad()
        loss.backward()
        {s}optimizer.step()
        with torch.no_grad():
            for old, new in zip({s}ema.parameters(), {s}model.parameters()):
                old.lerp_(new, 0.1)
            for old, new in zip({s}ema.buffers(), {s}model.buffers()):
                old.copy_(new)
    right, error = evaluate({s}model)
    evaluate({s}ema)
    #IN CALLBACK
    {s}plateau.step(right)
    if right > {s}best:
        {s}best = right
        {s}kept = copy.deepcopy({s}model.state_dict())
    torch.save({{"model": {s}model.state_dict(), "epoch": epoch}}, "last.pt")
    #AFTER SAVING
{s}model.load_state_dict({s}kept)
torch.save({s}kept, "best.pt")
#PLOTTING
state = torch.load("last.pt")
#LOADING
head = torch.optim.SGD({s}model[3].parameters(), lr=1e-3)
for step in range(5000):
    loss = F.cross_entropy({s}model(x[:400]), y[:400])
    head.zero_grad()
    loss.backward()
    head.step()
    #IN SECOND STAGE
#IN TEST
print(f"accuracy: {{evaluate({s}model)[0]:.3f}}")
"""


def _indented(text: str, by: int) -> str:
    return "".join(" " * by + line for line in text.splitlines(keepends=True))


def forms(setup: str = SETUP, train: str = TRAIN, head: str = HEAD) -> dict[str, str]:
    """The same program as a plain script, in a function, and in a class."""
    plain = [part.format(s="") for part in (setup, train)]
    own = [part.format(s="self.") for part in (setup, train)]
    tail = "try:\n    main()\nfinally:\n    print('over')\n    #IN FINALLY\n"
    return {
        "script": head + "".join(plain),
        "function": f"{head}def main():\n{_indented(''.join(plain), 4)}\n\n{tail}",
        "class": f"{head}class Trainer:\n    def __init__(self):\n{_indented(own[0], 8)}\n"
        f"    def fit(self):\n{_indented(own[1], 8)}\n\nTrainer().fit()\n",
    }


CRASHES = {
    "in evaluation": ("IN EVALUATION", "model.predict(x[rows])"),
    "a metric on the last small batch": ("IN EVALUATION", "answers.view(8, 2)"),
    "plotting": ("PLOTTING", "plt.plot(kept)"),
    "saving": ("AFTER SAVING", "json.dump({'epoch': epoch, 'best': loss}, open('best.json', 'w'))"),
    "loading": ("LOADING", "model.load_state_dict(state)"),
    "test": ("IN TEST", "evaluate(model, x)"),
    "second stage": ("IN SECOND STAGE", "head.step(loss, loss)"),
    "finally": ("IN FINALLY", "import a_module_that_is_nowhere"),
    "callback": ("IN CALLBACK", "(lambda **logs: logs['val_loss'])(loss=error)"),
    "distributed clean-up": ("IN FINALLY", "torch.distributed.destroy_process_group()"),
}
NOTED = "        {s}best = right\n"
KEPT = "copy.deepcopy({s}model.state_dict())"
LOADED = "{s}model.load_state_dict({s}kept)\n"
RESET = "for layer in ({s}model[0], {s}model[1], {s}model[3]):\n    layer.reset_parameters()\n"
RENAMED = "{s}model.load_state_dict({{'net.' + name: value for name, value in {s}kept.items()}}, strict=False)\n"
RESUME = """import os
if os.path.exists("last.pt"):
    {s}model.load_state_dict(torch.load("last.pt")['model'])
"""
BY_ERROR = ((NOTED, NOTED.replace("right", "error")),)
FAULTS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "best weights kept by reference": ("restore-does-nothing", ((KEPT, "{s}model.state_dict()"),)),
    "best weights kept by reference and saved": (
        "restore-does-nothing",
        ((KEPT, "{s}model.state_dict()"), (LOADED, "")),
    ),
    "least accurate weights kept": (
        "selection-runs-backwards",
        (("right > {s}best", "right < {s}best"), ("best = 0.0", "best = 1e9")),
    ),
    "largest loss kept": ("selection-runs-backwards", (("right > {s}best", "error > {s}best"), *BY_ERROR)),
    "best never noted": ("selection-without-effect", ((NOTED, ""),)),
    "best out of reach": ("selection-without-effect", (("right > {s}best", "error < {s}best"), *BY_ERROR)),
    "plateau of a score in mode min": ("selection-runs-backwards", (('mode="max"', 'mode="min"'),)),
    "average shares its weights": ("copy-shares-weights", (("copy.deepcopy({s}model)\n", "copy.copy({s}model)\n"),)),
    "average not written back": ("copy-stands-still", (("old.lerp_(new, 0.1)", "old = 0.9 * old + 0.1 * new"),)),
    "second stage steps a layer that was replaced": (
        "gradients-gone",
        (("for step in range(5000):\n", "{s}model[3] = nn.Linear(32, 2)\nfor step in range(5000):\n"),),
    ),
    "least likely class counted": ("answers-scored-wrongly", (("answers.argmax(1)", "answers.argmin(1)"),)),
    "answers held against other rows": ("answers-scored-wrongly", (("== y[rows]", "== y[rows].flip(0)"),)),
    "right answers over the number of batches": ("averaged-over-wrong-count", (("right / 30", "right / 4"),)),
    "sum of mean losses over the number of examples": ("averaged-over-wrong-count", (("error / 4", "error / 30"),)),
    "started again from the first round": ("resume-differs", (("{s}kept = None\n", "{s}kept = None\n" + RESUME),)),
    "started again under other names": (
        "resume-differs",
        (("{s}kept = None\n", "{s}kept = None\n" + RESUME.replace("['model']", "['weights']")),),
    ),
    "initialised after loading": ("loading-undone", ((LOADED, LOADED + RESET),)),
    "loaded under other names": ("checkpoint-does-not-fit", ((LOADED, RENAMED),)),
    "average without its statistics": (
        "copy-statistics-stale",
        (("                old.copy_(new)\n", "                pass\n"),),
    ),
}


@dataclass(frozen=True)
class Case:
    name: str
    files: Mapping[str, str]
    wanted: str
    """The name of the check that should tell it; empty for a healthy program."""
    line: int | None = None
    command: tuple[str, ...] = ("train.py",)
    full: float | None = None
    """Seconds that the whole program takes."""


def cases() -> Iterator[Case]:
    for form, source in forms().items():
        yield Case(f"healthy: {form}", {"train.py": source}, "")
    for name, (place, code) in CRASHES.items():
        source = forms()["function"].replace(f"#{place}", code)
        line = source[: source.index(code)].count("\n") + 1
        yield Case(f"crash: {name}", {"train.py": source}, "later-part-crashes", line)
    for name, (check, changes) in FAULTS.items():
        parts = [SETUP, TRAIN, HEAD]
        for old, new in changes:
            assert any(old in part for part in parts), (name, old)
            parts = [part.replace(old, new) for part in parts]
        for form, source in forms(*parts).items():
            yield Case(f"fault: {name}: {form}", {"train.py": source}, check)
    for program in programs.load_all()[0]:
        if half_of_program(program) == "tune":
            name = f"program: {program.slug}"
            yield Case(name, program.files, "", command=program.command, full=program.seconds)


@dataclass(frozen=True)
class Outcome:
    seconds: float
    told: str
    right: bool
    """What stays behind in the folder is wrong in any case."""
    reached: bool = False
    left: bool = False
    error: bool = False


def rehearsed(case: Case) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        begun = time.monotonic()
        words = [sys.executable, "-m", "firstlight", "rehearse", "--format", "json", *case.command]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begun
        every = {path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()}
    left = [str(path) for path in every if path.parts[0] != ".firstlight" and str(path) not in case.files]
    if left:
        return Outcome(seconds, f"left behind: {', '.join(left)}", False, left=True)
    if not done.stdout:
        return Outcome(seconds, done.stderr[-200:], False)
    report = json.loads(done.stdout)
    loud = [(one["name"], one["where"]["line"]) for one in report["findings"] if one["severity"] != "note"]
    told = ", ".join(f"{name} at {line}" for name, line in loud) or report["verdict"]
    named = {name for name, _ in loud}
    right = named == {case.wanted} and (case.line is None or (case.wanted, case.line) in loud)
    return Outcome(
        seconds,
        told,
        right if case.wanted else not loud and report["verdict"] == "clean",
        reached=(report["assurance"]["rehearsal"] or {}).get("reached_end", False),
        error=any(one["severity"] == "error" for one in report["findings"]),
    )


def of_the_report_half() -> str:
    """Counts alone: once somebody knows what failed there, the number no longer tells the truth."""
    chosen = [program for program in programs.load_all()[0] if half_of_program(program) == "report"]
    made = [rehearsed(Case(one.slug, one.files, "", command=one.command)) for one in chosen]
    return (
        f"- programs of the report half: {sum(one.reached for one in made)} of {len(made)} reached their last line, "
        f"{sum(one.right for one in made)} with nothing told, {sum(one.error for one in made)} called an error, "
        f"{sum(one.left for one in made)} left something behind; "
        f"{statistics.median(one.seconds for one in made):.0f} s in the median against "
        f"{statistics.median(one.seconds for one in chosen):.0f} s of the whole program"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="Cases with this in their names.")
    parser.add_argument("--report-half", action="store_true", help="Counts of the programs of the report half alone.")
    parser.add_argument("--missing", action="store_true", help="Cases that have no row yet: goes on where it stopped.")
    asked = parser.parse_args()
    rows, unseen = _earlier()
    every = list(cases())
    if asked.report_half:
        unseen = of_the_report_half()
        print(unseen)
        every_known = [rows[case.name] for case in every if case.name in rows]
        RESULTS.write_text(_page(every_known, len(every), unseen), encoding="utf-8")
        return
    for case in every:
        if asked.only in case.name and not (asked.missing and case.name in rows):
            found = rehearsed(case)
            full = "" if case.full is None else f"{case.full:.0f}"
            right = "yes" if found.right else "no"
            rows[case.name] = f"| {case.name} | {found.seconds:.0f} | {full} | {right} | {found.told} |"
            print(rows[case.name], flush=True)
            known = [rows[case.name] for case in every if case.name in rows]
            RESULTS.write_text(_page(known, len(every), unseen), encoding="utf-8")


def _earlier() -> tuple[dict[str, str], str]:
    """Rows of an earlier run, by the names of their cases; and what it counted of the report half."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    rows = [line for line in lines if ": " in line and line.startswith("| ")]
    unseen = next((line for line in lines if line.startswith("- programs of the report half")), "")
    return {row.split(" | ")[0].removeprefix("| "): row for row in rows}, unseen


def _page(rows: list[str], cases: int, unseen: str) -> str:
    cells = [row.strip("| ").split(" | ") for row in rows]
    counted = [
        f"- {kind}: {sum(cell[3] == 'yes' for cell in found)} of {len(found)} right, "
        f"{statistics.median(float(cell[1]) for cell in found):.0f} s in the median, "
        f"{max(float(cell[1]) for cell in found):.0f} s at most"
        for kind in ("healthy", "crash", "fault", "program")
        if (found := [cell for cell in cells if cell[0].startswith(kind)])
    ]
    machine = (
        f"{platform.machine()}, {os.cpu_count()} shared cores, {platform.system()}, Python {platform.python_version()}"
    )
    return "\n".join(
        [
            "# Rehearsals of planted faults and of healthy programs",
            "",
            "Written by `bench/rehearsal.py`: `firstlight rehearse` of each program, in a folder of its own. Right means that",
            "the planted fault is told, alone and at its line, or that a healthy program reaches its last line with nothing",
            "told; in both cases with nothing left in the folder. Seconds include starting Python and importing torch.",
            f"{machine}. {len(rows)} of {cases} cases were run.",
            "",
            *counted,
            *([unseen] if unseen else []),
            "",
            "| case | seconds | whole program | right | told |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    main()
