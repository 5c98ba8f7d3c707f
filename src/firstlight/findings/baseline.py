"""Findings that were there when the linter came, so that only new ones are told.

A finding is known by its check, its file and the text of its line: it stays known when lines move, and is new again
when the line changes. Equal lines in one file are counted.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from firstlight.checks.retired import retired_into
from firstlight.errors import UnreadableError, UsageError
from firstlight.records.finding import Finding
from firstlight.store import plain_files

MOST_BYTES = 64 << 20
FORMERLY = "former-fingerprints"
SCHEMA: Literal["firstlight.baseline/1"] = "firstlight.baseline/1"


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal["firstlight.baseline/1"] = SCHEMA
    findings: dict[str, int] = {}
    """How many findings have each fingerprint."""


def fingerprint(finding: Finding, line: str) -> str:
    return _hashed(finding.id, finding, line)


def former_fingerprints(finding: Finding, line: str) -> str:
    """As checks that were retired into this one would have told it: a baseline may be older than that."""
    return " ".join(_hashed(one.id, finding, line) for one in retired_into(finding.id))


def _hashed(identifier: str, finding: Finding, line: str) -> str:
    told = "\0".join([identifier, finding.where.file or "", " ".join(line.split())])
    return hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=10).hexdigest()


def fingerprint_of(finding: Finding) -> str:
    return str(finding.evidence.get("fingerprint", "")) or fingerprint(finding, "")


def read(path: Path) -> Baseline:
    try:
        return msgspec.json.decode(plain_files.contents(path, MOST_BYTES, follow=True), type=Baseline)
    except UnreadableError as error:
        raise UsageError(f"the baseline: {error}. --write-baseline makes one.") from None
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{path} is no baseline of firstlight: {error}. --write-baseline makes one.") from None


def write(path: Path, findings: Iterable[Finding]) -> int:
    counted = Counter(fingerprint_of(finding) for finding in findings)
    baseline = Baseline(findings=dict(sorted(counted.items())))
    try:
        plain_files.replace(path, msgspec.json.format(msgspec.json.encode(baseline), indent=1) + b"\n")
    except OSError as error:
        raise UsageError(f"the baseline {path} cannot be written: {error.strerror or error}.") from None
    return sum(counted.values())


def new_only(findings: Iterable[Finding], baseline: Baseline) -> tuple[tuple[Finding, ...], int]:
    """The findings beyond the baseline, and how many it took away."""
    left = dict(baseline.findings)
    kept: list[Finding] = []
    known = 0
    for finding in findings:
        prints = [fingerprint_of(finding), *str(finding.evidence.get(FORMERLY, "")).split()]
        print_ = next((one for one in prints if left.get(one, 0) > 0), None)
        if print_ is None:
            kept.append(finding)
        else:
            left[print_] -= 1
            known += 1
    return tuple(kept), known
