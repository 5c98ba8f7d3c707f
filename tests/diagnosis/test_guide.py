"""The guide speaks the public vocabulary and points to checks that exist."""

import re

import pytest

from firstlight.checks.catalogue import named
from firstlight.diagnosis.causes import BY_SLUG
from firstlight.diagnosis.guide import HABITS, SYMPTOMS, TRIAGE, Symptom
from firstlight.diagnosis.symptoms import parse
from firstlight.session import understood


def test_every_cause_is_known() -> None:
    assert {cause for symptom in SYMPTOMS for cause in symptom.causes} <= BY_SLUG.keys()


def test_every_check_named_exists() -> None:
    words = [*TRIAGE, *(part for symptom in SYMPTOMS for part in (symptom.test, symptom.fix)), *dict(HABITS).values()]
    ids = {found for text in words for found in re.findall(r"FL\d{3}", text)}

    assert len(ids) > 5
    assert all(named(found) for found in ids)


def test_every_symptom_is_understood_as_it_is_printed() -> None:
    for symptom in SYMPTOMS:
        understood = parse(symptom.seen)
        assert any(understood.observations.values()), symptom.seen
        assert not understood.not_understood, symptom.seen


def test_symptoms_are_told_once() -> None:
    assert len({symptom.seen for symptom in SYMPTOMS}) == len(SYMPTOMS)


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda symptom: symptom.seen)
def test_every_title_is_understood_where_a_symptom_is_asked_for(symptom: Symptom) -> None:
    assert any(understood(symptom.seen).values())
