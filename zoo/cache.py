"""Results of single runs, kept beside the zoo so that what was interrupted goes on where it stopped."""

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "cache"


class Cache:
    """A file of JSON lines that is only appended to; the last line of a key counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._entries: dict[str, Mapping[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._remember(line)

    def get(self, key: str) -> Mapping[str, Any] | None:
        return self._entries.get(key)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        with self._lock:
            self._entries[key] = value
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "value": value}) + "\n")

    def _remember(self, line: str) -> None:
        """A run that was killed while writing leaves half a line, which is as good as none."""
        try:
            entry = json.loads(line)
            self._entries[entry["key"]] = entry["value"]
        except (json.JSONDecodeError, KeyError, TypeError):
            return
