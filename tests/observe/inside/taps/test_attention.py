"""What an attention mask hides, beside the ids that the model was given."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.attention import Masks
from firstlight.records.training import KeysMasked

IDS = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0], [8, 9, 1, 2, 0]])
PADDING = IDS == 0


def told(*calls: tuple[str, tuple[Any, ...], dict[str, Any]], ids: torch.Tensor = IDS) -> list[tuple[int, int, int]]:
    """Examples, ids that are shown, ids that are hidden."""
    emitted: list[Any] = []
    observer: Any = SimpleNamespace(step=0, emit=emitted.append)
    masks = Masks(observer)
    for name, args, kwargs in calls:
        getattr(masks, name)("", args, kwargs, None)
    call: Any = SimpleNamespace(inputs=[torch.ones(3, 5), ids], training=True)
    masks.returned(call)
    return [(one.examples, one.kept, one.blocked) for one in emitted if isinstance(one, KeysMasked)]


@pytest.mark.parametrize("ids", [IDS, IDS.T.contiguous()], ids=["rows", "columns"])
@pytest.mark.parametrize(("hidden", "found"), [(PADDING, (3, 9, 1)), (~PADDING, (3, 1, 9))])
def test_a_mask_for_torchs_layers_means_hidden_by_true(
    hidden: torch.Tensor, found: tuple[int, int, int], ids: torch.Tensor
) -> None:
    low = torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)

    assert told(("padded", (), {"key_padding_mask": hidden}), ids=ids) == [found]
    assert told(("padded", (), {"key_padding_mask": low}), ids=ids) == [found]


def test_a_mask_for_the_function_means_shown_by_true() -> None:
    assert told(("attended", (None, None, None, ~PADDING[:, None, None]), {})) == [(3, 9, 1)]


@pytest.mark.parametrize(("value", "found"), [(-torch.inf, [(3, 9, 1)]), (-1e9, [(3, 9, 1)]), (0.0, [])])
def test_scores_are_hidden_by_hand_where_they_are_made_as_low_as_can_be(value: float, found: Any) -> None:
    assert told(("filled", (None, PADDING[:, None, None], value), {})) == found


def test_a_mask_for_all_examples_or_of_another_length_says_nothing_of_padding() -> None:
    causal = torch.ones(5, 5).triu(1).bool()

    assert told(("filled", (None, causal, -1e9), {}), ("filled", (None, causal[None, None], -1e9), {})) == []
    assert told(("padded", (), {"key_padding_mask": PADDING[:, :4]})) == []
