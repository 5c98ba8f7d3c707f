import pytest

from firstlight.records.places import Where


@pytest.mark.parametrize(
    ("where", "place"),
    [
        (Where(file="train.py", line=3), "train.py:3"),
        (Where(file="n.ipynb", cell=2, line=3), "n.ipynb:cell 2:3"),
        (Where(file="train.csv", module="column `a`"), "train.csv"),
        (Where(module="layer1"), ""),
    ],
)
def test_a_place_has_the_parts_that_are_known(where: Where, place: str) -> None:
    assert where.place == place
