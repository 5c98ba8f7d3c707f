"""Configurations, how they differ, and what lies between them."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from firstlight.errors import UsageError
from firstlight.lab import configurations
from firstlight.lab.configurations import arguments, differences, with_differences, words_of, written

GOOD = {"lr": 1e-05, "opt": {"name": "adam", "betas": [0.9, 0.99]}, "on": True, "text": 'a "b" é', "only-good": 1}
BAD = {"lr": 0.1, "opt": {"name": "adam", "betas": [0.5, 0.99], "new": 2}, "on": 1, "text": 'a "b" é'}


def test_tables_differ_key_by_key_and_types_count() -> None:
    told = {one.name: one.told() for one in differences(GOOD, BAD)}
    assert told == {
        "lr": "lr: 1e-05 → 0.1",
        "opt.betas": "opt.betas: [0.9, 0.99] → [0.5, 0.99]",
        "opt.new": "opt.new: absent → 2",
        "on": "on: true → 1",
        "only-good": "only-good: 1 → absent",
    }


def test_all_differences_make_the_bad_one_and_none_the_good_one() -> None:
    assert with_differences(GOOD, differences(GOOD, BAD)) == BAD
    assert with_differences(GOOD, []) == GOOD


@pytest.mark.parametrize("suffix", [".toml", ".yaml", ".json"])
def test_what_is_written_reads_as_what_it_was(suffix: str) -> None:
    read = {".toml": tomllib.loads, ".yaml": yaml.safe_load, ".json": json.loads}[suffix]
    tree = {**GOOD, "empty": {}, "list": [{"a": 1, "b c": [1.5, "x"]}]}
    assert read(written(tree, suffix)) == tree


def test_arguments_come_apart_and_together() -> None:
    tree = arguments("--lr -0.1 --wd=0 --amp --sizes 1 2 data")
    assert tree == {"--lr": ["-0.1"], "--wd": ["0"], "--amp": [], "--sizes": ["1", "2", "data"]}
    assert words_of(tree) == ("--lr", "-0.1", "--wd", "0", "--amp", "--sizes", "1", "2", "data")
    found = differences(tree, arguments("--lr -0.1 --wd=1 --sizes 1 2 data"))
    assert [one.told() for one in found] == ["--wd: 0 → 1", "--amp: given → absent"]


@pytest.mark.parametrize(
    ("name", "text"), [("a.toml", "x ="), ("a.json", "{"), ("a.yaml", "a: [1"), ("a.json", "[1]"), ("b.yaml", "text")]
)
def test_what_is_no_configuration_is_said_to_be_none(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=name):
        configurations.read(str(tmp_path / name))
