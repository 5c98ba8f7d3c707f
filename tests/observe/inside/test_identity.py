import gc

from firstlight.observe.inside.identity import ByIdentity


class Odd:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


def test_objects_that_cannot_be_compared_are_told_apart() -> None:
    known: ByIdentity[int] = ByIdentity()
    one, other = Odd(), Odd()
    known[one] = 1
    assert (one in known, other in known, known.get(one, None), known.get(other, 7)) == (True, False, 1, 7)


def test_a_value_is_gone_with_its_object() -> None:
    known: ByIdentity[int] = ByIdentity()
    things = [Odd() for _ in range(100)]
    for thing in things:
        known[thing] = 1
    del thing
    things.clear()
    gc.collect()
    assert len(known) == 0
