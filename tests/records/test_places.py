import pytest

from firstlight.records.places import Site, Where, at


def test_a_site_reads_as_editors_expect() -> None:
    assert str(Site(file="src/train.py", line=31)) == "src/train.py:31"


def test_a_place_takes_file_and_line_from_its_site() -> None:
    where = at(Site(file="train.py", line=31, function="main"), module="head", step=4, rank=1)

    assert where == Where(file="train.py", line=31, module="head", step=4, rank=1)


def test_without_a_site_the_rest_is_kept() -> None:
    assert at(None, module="head", step=0) == Where(module="head", step=0)


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
