"""Damage of the kinds that disks, kills, editors and attackers do to a file. The same seed does the same damage."""

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
STRING = re.compile(rb'"[^"\\]*"')
HUGE = (b"9" * 400, b"9" * 5000, b"1e999", b"-1e999", b"18446744073709551616", b"-1", b"0", b"NaN", b"1" + b"0" * 30)
VALUES = (b"null", b"true", b"[]", b"{}", b'""', b"-1", b"1.5", b'"NaN"', b"[[]]", b'{"a":{}}', b"1e400")
TEXTS = (b"\\u0000", b"\\ud800", b"\x1b[2J", b"\xe2\x80\xae", b"\xff\xfe", b"/etc/passwd", b"../" * 40, b"a" * 70_000)
DEEP = (b"[", b'{"a":', b"(", b"[[{", b"-", b"a.b=[", b"not ", b"lambda:")
Mutation = Callable[[bytes, random.Random], bytes]


def truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 4, 40)) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def splice(data: bytes, chance: random.Random) -> bytes:
    """A stretch goes elsewhere, twice, or away."""
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    place, times = chance.randrange(len(data) + 1), chance.randrange(3)
    return data[:place] + data[start:end] * times + data[place if times else max(place, end) :]


def huge_number(data: bytes, chance: random.Random) -> bytes:
    return _replaced(NUMBER, data, chance, HUGE)


def other_type(data: bytes, chance: random.Random) -> bytes:
    return _replaced(chance.choice((NUMBER, STRING)), data, chance, VALUES)


def other_text(data: bytes, chance: random.Random) -> bytes:
    return _replaced(STRING, data, chance, tuple(b'"' + text + b'"' for text in TEXTS))


def nest(data: bytes, chance: random.Random) -> bytes:
    return _inserted(data, chance, chance.choice(DEEP) * chance.choice((50, 1100, 60_000)))


def bad_text(data: bytes, chance: random.Random) -> bytes:
    return _inserted(data, chance, chance.choice((b"\xff", b"\0", b"\xed\xa0\x80", b"\xc3", b"\x1b]0;x\a", b"\r")))


MUTATIONS: tuple[Mutation, ...] = (truncate, flip, splice, huge_number, other_type, other_text, nest, bad_text)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """One to three kinds of damage, one after the other."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        data = chance.choice(MUTATIONS)(data, chance)
    return data


def disguised(path: Path, chance: random.Random) -> None:
    """In place of the file, something that is none."""
    path.unlink()
    match chance.randrange(6):
        case 0:
            path.mkdir()
        case 1:
            os.mkfifo(path)
        case 2:
            path.symlink_to(path.name)
        case 3:
            path.symlink_to("/dev/zero")
        case 4:
            path.symlink_to("/etc/hostname")
        case _:
            path.write_bytes(b"")


def _replaced(pattern: re.Pattern[bytes], data: bytes, chance: random.Random, values: tuple[bytes, ...]) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data
    place = chance.choice(found)
    return data[: place.start()] + chance.choice(values) + data[place.end() :]


def _inserted(data: bytes, chance: random.Random, extra: bytes) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + extra + data[place:]
