"""Runs firstlight on a copy of a program, as a user would, and reads its report."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from zoo.cache import Cache
from zoo.errors import ZooError
from zoo.mutants import fingerprint
from zoo.running import copied, environment, execute

Verb = Literal["check", "diagnose", "lint"]
LIMIT_SECONDS = 600.0
REPORT = "report.json"
TORCHRUN = ("-m", "torch.distributed.run")
"""A user types `torchrun`, and so do we."""
CERTIFIED = "certified"
UNKNOWN = "unknown"
TOLD = ("error", "warning")
"""Severities that are told to a user as something wrong."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A cause that a report names, and how sure it is."""

    cause: str
    probability: float
    kind: str = ""
    """What it rests on: `proven`, or the severity of the finding that names it; `inferred` where none does."""
    check: str = ""
    """The id of that finding's check."""


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """What matters of one report."""

    verdict: str
    """clean, warn, ill or unjudged; the last also where there is no report."""
    first: Claim | None
    """The first entry of the diagnosis, or where there is none the first finding that is an error or a warning."""
    places: tuple[Place, ...]
    """The lines of the findings that are errors or warnings."""
    seconds: float
    named: tuple[str, ...] = ()
    """The causes of all findings and hypotheses, notes and improbable ones too."""
    certified: bool = False
    """It says that the program was seen to learn."""

    @property
    def alarmed(self) -> bool:
        return self.verdict in ("ill", "warn")

    @property
    def said(self) -> Claim | None:
        """What an alarm says first."""
        return self.first if self.alarmed else None

    @property
    def claim(self) -> Claim | None:
        """The cause that it names, if any: a crash, or a symptom that nothing explains, names none."""
        return self.said if self.said is not None and self.said.cause != UNKNOWN else None


class Firstlight:
    """One installation of firstlight, asked with one verb and one seed."""

    def __init__(self, executable: Path, verb: Verb, seed: int, runs: Cache) -> None:
        self.executable = executable
        self.verb: Verb = verb
        self.seed = seed
        self._runs = runs

    def judge(self, files: Mapping[str, str], command: Sequence[str]) -> Judgement:
        """Taken from the cache where the same firstlight has already judged the same program."""
        texts = [text for name in sorted(files) for text in (name, files[name])]
        key = fingerprint(self.sources, self.verb, str(self.seed), *command, "", *texts)
        kept = self._runs.get(key)
        if kept is not None:
            return _from_cache(kept)
        judgement = self._judge(files, command)
        self._runs.put(key, asdict(judgement))
        return judgement

    def _judge(self, files: Mapping[str, str], command: Sequence[str]) -> Judgement:
        with copied(files) as folder:
            words = [str(self.executable), self.verb, "--format", "json", "--output", REPORT, *self._subject(command)]
            ended = execute(words, folder, environment(self.seed, self.executable.parent), LIMIT_SECONDS)
            report = folder / REPORT
            return judgement_of(report.read_text(encoding="utf-8") if report.exists() else "", ended.seconds)

    def _subject(self, command: Sequence[str]) -> list[str]:
        if self.verb == "lint":
            return ["."]
        if tuple(command[: len(TORCHRUN)]) == TORCHRUN:
            return ["--", "torchrun", *command[len(TORCHRUN) :]]
        return list(command)

    @cached_property
    def sources(self) -> str:
        """The fingerprint of the package behind the executable."""
        paths = sorted(self.package.rglob("*.py"))
        return fingerprint(*(f"{path.relative_to(self.package)}\n{path.read_text('utf-8')}" for path in paths))

    @cached_property
    def package(self) -> Path:
        python = self.executable.parent / "python"
        try:
            said = subprocess.run(
                [python, "-c", "import firstlight; print(firstlight.__file__)"],
                capture_output=True, text=True, check=True, env=environment(0),
            )  # fmt: skip
        except (OSError, subprocess.CalledProcessError) as problem:
            raise ZooError(
                f"{self.executable} is not the firstlight of a virtual environment: no {python.name} beside it "
                "that has firstlight installed"
            ) from problem
        return Path(said.stdout.strip()).parent


def default_executable() -> Path:
    return Path(sys.executable).parent / "firstlight"


def judgement_of(report: str, seconds: float) -> Judgement:
    """Text that is no report is what a firstlight that failed leaves behind, and judges nothing."""
    try:
        fields = json.loads(report)
        findings = [finding for finding in fields["findings"] if finding["severity"] in TOLD]
        first = _first(fields["diagnosis"], findings)
        named = {one["cause"] for one in (*fields["findings"], *fields["diagnosis"])}
        learns = (fields.get("assurance") or {}).get("learns") or {}
        certified = learns.get("status") == CERTIFIED
        return Judgement(fields["verdict"], first, _places(findings), seconds, tuple(sorted(named)), certified)
    except (json.JSONDecodeError, KeyError, TypeError, ValueError):
        return Judgement("unjudged", None, (), seconds)


def _first(diagnosis: Sequence[Mapping[str, Any]], findings: Sequence[Mapping[str, Any]]) -> Claim | None:
    if diagnosis:
        cause, probability = diagnosis[0]["cause"], float(diagnosis[0]["probability"])
    elif findings:
        cause, probability = findings[0]["cause"], float(findings[0]["confidence"])
    else:
        return None
    named = next((finding for finding in findings if finding["cause"] == cause), None)
    if named is None:
        return Claim(cause, probability, "inferred")
    return Claim(cause, probability, "proven" if named["verified"] else named["severity"], named["id"])


def _places(findings: Sequence[Mapping[str, Any]]) -> tuple[Place, ...]:
    wheres = [finding["where"] for finding in findings]
    return tuple(Place(where["file"], where["line"]) for where in wheres if where.get("file") and where.get("line"))


def _from_cache(kept: Mapping[str, Any]) -> Judgement:
    first = Claim(**kept["first"]) if kept["first"] else None
    places = tuple(Place(**place) for place in kept["places"])
    named, certified = tuple(kept.get("named", ())), kept.get("certified", False)
    return Judgement(kept["verdict"], first, places, kept["seconds"], named, certified)
