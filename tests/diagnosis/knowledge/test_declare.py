from hypothesis import given
from hypothesis import strategies as st

from firstlight.diagnosis.knowledge.declare import Level, chance

RATES = st.floats(min_value=0.001, max_value=0.99)


def test_levels_have_their_numbers_where_the_rate_leaves_room() -> None:
    assert chance(Level.VERY_LIKELY, 0.05) == 0.85
    assert chance(Level.LIKELY, 0.05) == 0.5
    assert chance(Level.NEUTRAL, 0.05) == 0.05
    assert chance(Level.UNLIKELY, 0.4) == 0.05
    assert chance(Level.EXCLUDED, 0.4) == 0.01


@given(rate=RATES)
def test_levels_are_ordered_at_every_rate(rate: float) -> None:
    levels = (Level.EXCLUDED, Level.UNLIKELY, Level.NEUTRAL, Level.LIKELY, Level.VERY_LIKELY)
    chances = [chance(level, rate) for level in levels]
    assert chances == sorted(chances)
    assert 0.0 < chances[0] < chances[1] < rate < chances[4] < 1.0
