"""Writes docs/reliability.md from what the benches of hostile input, containment, processes, artifacts and disks counted.

python bench/reliability.py

Each of them leaves bench/results/reliability-PART.json: {"part", "machine", "floor", "tried", "lost", "rows"}, where a
row is {"what", "tried", "held", "note"}.
"""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reliability.md"
INTRODUCTION = """\
# Reliability

What was tried against firstlight, how often, and what was lost. Written by `bench/reliability.py` from the results of the
benches named below; nothing on this page is edited by hand.
"""
PARTS = {
    "containment": (
        "Files a checked program writes",
        "bench/hostile_containment.py",
        "a change that reached the user's files",
    ),
    "readers": ("Damaged input", "bench/hostile_readers.py", "exit code 3 or a traceback, in place of 0, 1 or 2"),
    "processes": (
        "Processes and kills",
        "bench/hostile_processes.py",
        "a process left behind, or a log that cannot be read",
    ),
    "artifacts": ("Artifacts by an attacker", "bench/hostile_artifacts.py", "code that ran, or a file that changed"),
    "disk": ("Disks that fill up", "bench/hostile_disk.py", "a training that ended otherwise than without the guard"),
}
"""Title, bench, and what counts as lost, by part, in the order of the page."""


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["| what | tried | held | note |", "|---|---|---|---|"]
    lines += [f"| {_cell(row['what'])} | {row['tried']:,} | {row['held']:,} | {_cell(row['note'])} |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def section(part: dict[str, Any]) -> str:
    title, bench, lost = PARTS.get(part["part"], (part["part"], "bench", "what did not hold"))
    told = f"{part['tried']:,} tried, {part['lost']:,} lost. Lost means {lost}."
    floor = f" The kernel's floor: {part['floor']}." if part["floor"] else ""
    return f"## {title}\n\n{told}\n\nMachine: {part['machine']}.{floor} By `{bench}`.\n\n{table(part['rows'])}\n"


def main() -> None:
    found = {}
    for path in sorted((ROOT / "bench" / "results").glob("reliability-*.json")):
        part = json.loads(path.read_text(encoding="utf-8"))
        found[part["part"]] = part
    order = [*(name for name in PARTS if name in found), *(name for name in found if name not in PARTS)]
    PAGE.write_text("\n".join([INTRODUCTION, *(section(found[name]) for name in order)]), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {', '.join(order) or 'no results yet'}")


if __name__ == "__main__":
    main()
