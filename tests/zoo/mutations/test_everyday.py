"""Slips that change several places at once do so at all of them, and are refused where they could not be silent."""

from tests.zoo.mutations.conftest import SPECIMENS, source_of
from zoo.mutations import careless, everyday
from zoo.split import half_of_mutation

BY_NAME = {mutation.name: mutation for mutation in (*everyday.MUTATIONS, *careless.MUTATIONS)}
EVERYDAY = (SPECIMENS / "everyday.txt").read_text()
MEASURED = (SPECIMENS / "measured.txt").read_text()
LETTERS = (SPECIMENS / "letters.txt").read_text()


def written(name: str, text: str) -> list[str]:
    """The lines a mutation changes in a program, as they are then."""
    before = text.split("\n")
    return [
        new.strip()
        for one in BY_NAME[name].plant(source_of(train=text))
        for old, new in zip(before, one.files["train.py"].split("\n"), strict=True)
        if old != new
    ]


def test_what_has_a_target_to_ignore_already_is_refused() -> None:
    ignoring = LETTERS.replace("CrossEntropyLoss()", "CrossEntropyLoss(ignore_index=-100)")
    assert written("ignore-index-is-a-class", LETTERS) == ["criterion = nn.CrossEntropyLoss(ignore_index=0)"]
    assert not written("ignore-index-is-a-class", ignoring)
    assert not written("last-class-wraps-to-first", ignoring)


def test_held_back_examples_get_the_seed_of_the_first() -> None:
    assert written("seed-copied-to-held-back", EVERYDAY) == [
        "test_loader = DataLoader(Shapes(100, seed=1), batch_size=50)"
    ]


def test_answers_lose_their_units_in_evaluation_only() -> None:
    assert written("answers-not-scaled-back", MEASURED) == [
        'print("loss", (net(features) - wanted).abs().mean().item())'
    ]
    assert not written("answers-not-scaled-back", EVERYDAY)


def test_an_average_is_made_followed_and_put_in_place_of_the_model() -> None:
    lines = written("average-too-slow-for-run", MEASURED)
    assert [line.split("; ", 1)[-1] for line in lines] == [
        "import copy",
        "average = copy.deepcopy(net)",
        "[a.data.lerp_(b.data, 1 - 0.9999) for a, b in zip(average.parameters(), net.parameters())]",
        "net.eval()",
    ]
    assert lines[-1].startswith("net.load_state_dict(average.state_dict()); ")


def test_the_first_state_comes_back_at_each_epoch_and_not_at_each_step() -> None:
    epochs = MEASURED.replace("range(3):\n", "range(3):\n    net.train()\n")
    assert written("initial-state-restored-each-epoch", epochs)[1:] == [
        "opt = torch.optim.Adam(net.parameters(), lr=1e-3); initial = copy.deepcopy(net.state_dict())",
        "net.load_state_dict(initial); net.train()",
    ]
    assert not written("initial-state-restored-each-epoch", LETTERS)


def test_rate_and_decay_change_places_only_where_that_matters() -> None:
    assert written("decay-given-as-rate", EVERYDAY) == [
        "opt = torch.optim.Adam(model.parameters(), lr=1e-5, weight_decay=1e-3)"
    ]
    assert not written("decay-given-as-rate", EVERYDAY.replace("weight_decay=1e-5", "weight_decay=1e-2"))


def test_an_optimizer_with_settings_of_its_own_is_not_exchanged() -> None:
    assert written("sgd-takes-over-adams-rate", LETTERS) == ["opt = torch.optim.SGD(model.parameters(), lr=1e-3)"]
    assert not written("sgd-takes-over-adams-rate", LETTERS.replace("lr=1e-3", "lr=1e-3, betas=(0.9, 0.98)"))


def test_these_forms_are_all_of_the_tune_half() -> None:
    assert {half_of_mutation(mutation) for mutation in BY_NAME.values()} == {"tune"}
