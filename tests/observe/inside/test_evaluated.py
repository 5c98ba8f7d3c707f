"""Evaluations are told apart by where they come from, and known by the names that the program has for their data."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from firstlight.observe.inside import sites
from firstlight.observe.inside.evaluated import PartSeen, PartsSeen

DATA = torch.arange(1600.0).reshape(100, 16)


@pytest.fixture(autouse=True)
def _this_file_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "is_users", lambda filename: filename == str(Path(__file__)))


def part(parts: PartsSeen, given: torch.Tensor, loader: Any = None) -> PartSeen:
    found = parts.at([given], loader)
    assert found is not None
    return found


def test_another_line_is_another_evaluation_and_the_same_one_is_not() -> None:
    parts = PartsSeen()
    seen = []
    for _ in range(3):
        parts.training_goes_on()
        seen.append(part(parts, DATA).number)
        seen.append(part(parts, DATA).number)

    assert seen == [0, 1, 0, 1, 0, 1]


def test_loaders_at_one_line_are_told_apart_in_the_order_they_come_in() -> None:
    parts = PartsSeen()
    seen = []
    for _ in range(2):
        parts.training_goes_on()
        for loader in (DataLoader(TensorDataset(DATA)), DataLoader(TensorDataset(DATA))):
            seen += [part(parts, DATA, loader).number for _ in range(2)]

    assert seen == [0, 0, 1, 1, 0, 0, 1, 1]


def test_the_name_of_a_loader_its_data_set_or_its_tensors_says_what_it_is() -> None:
    x_val = DATA.clone()
    found = part(PartsSeen(), DATA[:4], DataLoader(TensorDataset(x_val), batch_size=4))
    test_set = TensorDataset(DATA)
    other = part(PartsSeen(), DATA[:4], DataLoader(test_set, batch_size=4))

    assert (found.name, other.name) == ("x_val", "test_set")


def test_a_part_of_a_named_tensor_has_its_name_and_what_shares_its_memory_has_not() -> None:
    rows = DATA.clone()
    x_train, Xtest = rows[:80], rows[80:]

    assert part(PartsSeen(), rows[84:88]).name == "Xtest"
    assert part(PartsSeen(), rows[4:8]).name == ""
    assert (len(x_train), len(Xtest)) == (80, 20)


def test_names_in_mappings_and_of_the_object_itself_count() -> None:
    loader = DataLoader(TensorDataset(DATA))
    loaders = {"valid": loader}
    found = part(PartsSeen(), DATA, loaders["valid"])
    del loaders
    self = SimpleNamespace(test_loader=loader)

    assert (found.name, part(PartsSeen(), DATA, self.test_loader).name) == ("valid", "test_loader")


def test_a_name_that_says_otherwise_counts_more() -> None:
    test_rows = train_rows = DATA.clone()

    assert part(PartsSeen(), test_rows).name == ""
    assert train_rows is test_rows


def test_what_a_function_calls_its_argument_is_no_name_of_the_data() -> None:
    def evaluate(x_test: torch.Tensor) -> str:
        return part(PartsSeen(), x_test).name

    held_out = DATA.clone()

    assert evaluate(DATA[torch.arange(9)]) == ""
    assert evaluate(held_out) == "held_out"


def test_pure_batches_count_where_the_data_are_named_as_new() -> None:
    named, plain = PartSeen(0, None, "x_test"), PartSeen(1, None, "")
    for one in (named, plain):
        one.add({1, 2, 3, 4}, {1, 2, 3, 4}, pure=True)
        one.add({5, 6, 7, 8}, {5}, pure=False)

    assert [(r.judged, r.shared, r.covered) for r in (named.record(set()), plain.record(set()))] == [
        (8, 5, 5),
        (4, 1, 5),
    ]
    assert named.record(probes={1, 2}).judged == 6
