"""Which rows of a batch are states that were met, and in which episode."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.dealings import Told
from firstlight.observe.inside.taps.encounters import Encounters
from firstlight.observe.inside.taps.models import Call

KEYS = [(1, 0), (1, 1)]
FIRST, SECOND, THIRD = torch.rand(3, 2, 4, generator=torch.Generator().manual_seed(0)).unbind()
"""What two environments show, one after the other."""


@pytest.fixture
def met() -> Encounters:
    observer: Any = SimpleNamespace(step=0, timeline=None, light=False)
    return Encounters(observer)


def shown(met: Encounters, state: torch.Tensor, *ends: bool) -> None:
    met.exchanged(Told((state, torch.zeros(2), torch.tensor(ends)), 1, [0.0, 0.0], list(ends), KEYS, [1, 1]))


def call(met: Encounters, given: torch.Tensor, output: torch.Tensor | None = None) -> None:
    gave = torch.zeros(len(given)) if output is None else output
    module: Any = None
    met.returned(Call(module, (given,), {}, [given], gave, output is not None))


def episodes(met: Encounters, state: torch.Tensor) -> set[Any]:
    (read,) = met.read(state, 1)
    return met.met.get(read, set())


def test_what_is_shown_at_the_end_belongs_to_the_episode_or_to_the_next(met: Encounters) -> None:
    shown(met, FIRST, False, True)

    assert episodes(met, FIRST[0]) == {((1, 0), 0)}
    assert episodes(met, FIRST[1]) == {((1, 1), 0), ((1, 1), 1)}


def test_what_a_network_was_asked_about_was_met_though_nothing_is_shown(met: Encounters) -> None:
    shown(met, torch.zeros(2), True, False)
    call(met, FIRST)
    shown(met, torch.zeros(2), False, False)

    assert episodes(met, FIRST[0]) == {((1, 0), 1)}
    assert episodes(met, FIRST[1]) == {((1, 1), 0)}


def test_a_state_is_what_it_was_when_it_was_met(met: Encounters) -> None:
    kept = FIRST.clone()
    shown(met, kept, False, False)
    kept.copy_(SECOND)

    assert episodes(met, FIRST[0])
    assert not episodes(met, kept[0])


def test_several_that_act_one_after_the_other_are_not_told_apart(met: Encounters) -> None:
    shown(met, torch.zeros(2), False, False)
    call(met, FIRST)
    call(met, SECOND)
    shown(met, torch.zeros(2), False, False)

    assert not met.met


def test_predictions_are_made_for_the_rows_of_what_was_fed(met: Encounters) -> None:
    for state in (FIRST, SECOND):
        shown(met, state, False, False)
    output = torch.rand(2, 2, 1)
    call(met, torch.stack([FIRST, SECOND]), output)
    beside = met.beside(output.flatten())

    assert [met.own(states, (KEYS[0], 0)) for states in beside] == [True, False, True, False]
    assert met.beside(output.flatten().flip(0)) == [], "in another order than they were made"
    met.backward_ended(output)
    assert met.beside(output.flatten()) == []


def test_actions_are_chosen_in_the_states_that_a_network_was_fed(met: Encounters) -> None:
    for state in (FIRST, SECOND):
        shown(met, state, False, False)
    call(met, torch.cat([FIRST, SECOND]), torch.zeros(4, 3))

    assert [met.own(states, (KEYS[0], 0)) for states in met.acted_on(4)] == [True, False, True, False]
    assert met.acted_on(3) == []


def test_actions_may_be_chosen_in_whatever_order_networks_were_fed(met: Encounters) -> None:
    shown(met, FIRST, False, False)
    for order in (FIRST, FIRST.flip(0)):
        call(met, order, torch.zeros(2, 3))

    assert [met.own(states, (KEYS[0], 0)) for states in met.acted_on(2)] == [True, True]


def test_a_network_that_says_the_same_of_all_states_fits_any_order(met: Encounters) -> None:
    shown(met, FIRST, False, False)
    call(met, FIRST, torch.zeros(2, 1))

    assert met.beside(torch.zeros(2)) == []


def test_states_that_were_not_met_are_not_known(met: Encounters) -> None:
    shown(met, FIRST, False, False)
    output = torch.rand(2, 1)
    call(met, SECOND, output)

    assert met.beside(output.flatten()) == []
    assert met.own((7,), (KEYS[0], 0)) is None


def test_what_is_the_same_everywhere_is_anybodys(met: Encounters) -> None:
    for _ in range(40):
        shown(met, torch.ones(2, 4), True, True)
    (read,) = met.read(torch.ones(4), 1)

    assert met.own((read,), (KEYS[0], 100)) is True


def test_copies_keep_nothing(met: Encounters) -> None:
    met.observer.light = True
    shown(met, FIRST, False, False)

    assert not met.met


def test_what_is_shown_for_the_first_time(met: Encounters) -> None:
    shown(met, FIRST, False, False)
    assert [len(one) for one in met.unseen] == [1, 1]

    shown(met, torch.stack([FIRST[0], SECOND[1]]), False, True)
    assert met.unseen == [set(), set(met.read(SECOND[1], 1))]
