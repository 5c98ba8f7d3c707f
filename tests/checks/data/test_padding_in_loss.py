import pytest
from tests.checks.data.feeding import echoing, found

from firstlight.checks.data.padding_in_loss import CHECK


def test_tells_the_share_and_the_id() -> None:
    (evidence,) = found(CHECK, echoing(padded=8, pad=3, pad_share=0.45))

    assert evidence.saw == "45% of the targets are padding at the end of rows (id 3) and count in the loss"


@pytest.mark.parametrize(("share", "times"), [(0.0, 0), (0.19, 0), (0.2, 1)])
def test_each_side_of_share(share: float, times: int) -> None:
    assert len(found(CHECK, echoing(padded=8, pad_share=share))) == times


@pytest.mark.parametrize(("padded", "times"), [(3, 0), (4, 1)])
def test_each_side_of_steps(padded: int, times: int) -> None:
    assert len(found(CHECK, echoing(padded=padded, pad_share=0.5))) == times
