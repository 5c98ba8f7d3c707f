import torch

from firstlight.observe.inside.echo import Asked, Echoes
from firstlight.records.feed import Echo


def echo(*steps: tuple[torch.Tensor, Asked]) -> Echo:
    made = Echoes()
    for given, asked in steps:
        made.step([given], [asked])
    return made.seen()


def table(labels: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
    return torch.cat([torch.randn(len(labels), 3), column[:, None].float()], 1)


def test_a_column_that_equals_the_target_is_found() -> None:
    labels = [torch.randint(0, 3, (16,)) for _ in range(4)]
    seen = echo(*[(table(y, y), Asked(y)) for y in labels])

    assert (seen.compared, seen.columns, seen.exact, seen.of) == (4, (3,), True, 4)


def test_a_column_that_is_a_line_in_the_target_is_found() -> None:
    targets = [torch.randn(16, 1) for _ in range(4)]
    seen = echo(*[(table(y, 3 - 2 * y[:, 0]), Asked(y)) for y in targets])

    assert (seen.columns, seen.exact) == ((3,), False)


def test_a_strong_feature_is_none() -> None:
    targets = [torch.randn(16) for _ in range(4)]

    assert echo(*[(table(y, y + 0.05 * torch.randn(16)), Asked(y)) for y in targets]).columns == ()


def test_a_column_that_fits_by_chance_at_one_step_is_dropped() -> None:
    y = torch.tensor([0, 1] * 8)
    other = torch.randint(0, 2, (16,))

    assert echo((table(y, y), Asked(y)), (table(other, 1 - other * 0), Asked(other))).columns == ()


def test_toys_and_reconstructions_are_not_compared() -> None:
    x = torch.randn(16, 1)
    wide = torch.randn(16, 4)

    assert echo((x, Asked(2 * x))).compared == 0
    assert echo((wide, Asked(wide))).compared == 0
    assert echo((wide, Asked(torch.ones(16)))).compared == 0


def test_a_series_that_is_a_line_is_no_leak() -> None:
    ramp = torch.arange(24.0).unfold(0, 5, 1)

    assert echo(*[(ramp[:, :4], Asked(ramp[:, 4]))] * 4).columns == ()


def test_targets_that_differ_are_counted() -> None:
    x = torch.zeros(16, 3, 4, 4)

    assert echo((x, Asked(torch.arange(16))), (x, Asked(torch.ones(16)))).varied == 1


def padded(rows: int = 32, length: int = 20) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.randint(1, 30, (rows, length))
    ends = torch.arange(length) >= torch.randint(4, 16, (rows, 1))
    return ids.masked_fill(ends, 0), ends


def test_targets_in_the_padding_are_counted() -> None:
    ids, ends = padded()
    tags = (ids % 5).masked_fill(ends, 0)
    seen = echo((ids, Asked(tags.reshape(-1))))

    assert (seen.padded, seen.pad) == (1, 0)
    assert abs(seen.pad_share - float(ends.float().mean())) < 1e-6


def test_the_next_id_as_the_target() -> None:
    ids, _ = padded()
    seen = echo((ids, Asked(ids[:, 1:].reshape(-1))))

    assert 0.3 < seen.pad_share < 0.7


def test_a_last_place_that_is_ignored_hides_no_padding() -> None:
    """Libraries shift the targets by padding them in turn."""
    ids, ends = padded()
    moved = torch.nn.functional.pad(ids[:, 1:], (0, 1), value=-100)
    seen = echo((ids, Asked(moved.reshape(-1))))

    assert abs(seen.pad_share - float(ends[:, :-1].float().sum() / ends.numel())) < 1e-6


def test_ignored_weighted_and_full_rows_are_fine() -> None:
    ids, ends = padded()
    tags = (ids % 5).masked_fill(ends, 0)

    assert echo((ids, Asked(tags, ignored=0))).pad_share == 0.0
    assert echo((ids, Asked((ids % 5).masked_fill(ends, -100)))).pad_share == 0.0
    assert echo((ids, Asked(tags, counted=False))).padded == 0
    assert echo((torch.randint(1, 30, (32, 20)), Asked(torch.randint(5, (32, 20))))).padded == 0
