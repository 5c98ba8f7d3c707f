import pytest

from firstlight.facts.naming import assign, read
from firstlight.records.curves import Curve


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("loss", "loss"),
        ("train/loss", "loss"),
        ("training_loss", "loss"),
        ("Loss/train", "loss"),
        ("train_loss_step", "loss"),
        ("trainLoss", "loss"),
        ("val_loss", "val_loss"),
        ("eval/loss", "val_loss"),
        ("validation/epoch_loss", "val_loss"),
        ("Loss/valid", "val_loss"),
        ("val_loss/dataloader_idx_0", "val_loss"),
        ("lr", "lr"),
        ("lr-AdamW", "lr"),
        ("train/learning_rate", "lr"),
        ("grad_norm", "grad_norm"),
        ("grad_2.0_norm_total", "grad_norm"),
        ("train/global_gradient_norm", "grad_norm"),
        ("accuracy", "accuracy"),
        ("train_acc", "accuracy"),
        ("eval/accuracy", "val_accuracy"),
        ("val_top1", "val_accuracy"),
    ],
)
def test_names_of_every_community(name: str, role: str) -> None:
    reading = read(name)
    assert reading is not None
    assert reading.role == role


@pytest.mark.parametrize("name", ["epoch", "gpu/utilization", "perplexity", "weight_norm", "", "lrs", "glossary"])
def test_other_names_are_not_taken(name: str) -> None:
    assert read(name) is None


def curve(name: str, points: int = 3) -> Curve:
    return Curve(name=name, steps=tuple(range(points)), values=(1.0,) * points)


def test_the_plainest_name_wins_then_most_points() -> None:
    roles = assign([curve("train/loss_box", 90), curve("train/train_loss", 1), curve("train/loss", 30)])
    assert roles.loss is not None
    assert roles.loss.name == "train/loss"
    assert roles.unread == ("train/loss_box", "train/train_loss")


def test_a_test_split_stands_in_only_where_there_is_no_validation() -> None:
    both = assign([curve("test_loss"), curve("val_loss")])
    alone = assign([curve("test_loss")])
    assert both.val_loss is not None
    assert both.val_loss.name == "val_loss"
    assert alone.val_loss is not None
    assert alone.val_loss.name == "test_loss"
