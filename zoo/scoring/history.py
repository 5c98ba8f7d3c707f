"""Earlier scores, so that a change can be seen to be good."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zoo.scoring.circumstances import Circumstances
from zoo.scoring.score import Score

FILE = Path(__file__).parents[1] / "history.json"

Row = Mapping[str, Any]


def load(path: Path = FILE) -> list[Row]:
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def row_of(score: Score, made: Circumstances) -> Row:
    return {
        "date": made.date,
        "commit": made.firstlight,
        "half": made.half,
        "verb": made.verb,
        "mutants": score.whole.caught.total,
        "caught": round(score.whole.caught.value, 4),
        "right": round(score.whole.right.value, 4),
        "healthy": score.false_alarms.total,
        "false_alarms": score.false_alarms.hits,
        "nags": score.nags.hits,
        "calibration_error": round(score.calibration.error, 4),
        "seconds": round(score.healthy_times.seconds, 1),
    }


def save(rows: Sequence[Row], path: Path = FILE) -> None:
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
