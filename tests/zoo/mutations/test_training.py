"""Where a program trains is found by what is done there, not by how things are called."""

from tests.zoo.mutations.conftest import source_of
from zoo.mutations.catalogue import CATALOGUE
from zoo.mutations.training import training
from zoo.records import Planted

BY_NAME = {mutation.name: mutation for mutation in CATALOGUE}

HELPER = """\
import torch
from torch import nn


def one_step(net, o, crit, xb, yb):
    value = crit(net(xb), yb)
    o.zero_grad()
    value.backward()
    o.step()


def main(data, env):
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    o = torch.optim.SGD(net.parameters(), lr=0.1)
    crit = nn.CrossEntropyLoss()
    for xb, yb in data:
        one_step(net, o, crit, xb, yb)
    env.step()
    with torch.no_grad():
        return [crit(net(xb), yb) for xb, yb in data]
"""


def planted(name: str, **files: str) -> list[Planted]:
    return list(BY_NAME[name].plant(source_of("tiny", ("train.py",), **files)))


def changed(name: str, **files: str) -> list[str]:
    """The lines a mutation writes anew."""
    return [one.files[one.site.file].split("\n")[one.line - 1].strip() for one in planted(name, **files)]


def test_steps_and_losses_are_found_through_parameters_and_calls() -> None:
    view = training(source_of(train=HELPER))
    assert len(view.loops) == len(view.steps) == len(view.clearings) == len(view.losses) == 1
    assert view.losses[0].kind == "cross-entropy"


def test_the_step_of_something_else_and_a_loss_of_evaluation_are_left_alone() -> None:
    assert changed("step-left-out", train=HELPER) == ["pass"]
    assert changed("softmax-before-cross-entropy", train=HELPER) == ["value = crit(torch.softmax(net(xb), dim=1), yb)"]


def test_a_model_in_another_file_is_mutated_there() -> None:
    model = (
        "import torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 2)\n\n    def forward(self, x):\n        return self.fc(x)\n"
    )
    train = HELPER.replace("from torch import nn", "from torch import nn\nfrom model import Net").replace(
        "nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))", "Net()"
    )
    (one,) = planted("softmax-returned-by-forward", train=train, model=model)
    assert one.site.file == "model.py"
    assert one.site.key == "Net.forward/self.fc(x)#0"
    assert "return self.fc(x).softmax(dim=-1)" in one.files["model.py"]


def test_an_option_that_the_command_gives_is_not_mutated_at_its_default() -> None:
    text = HELPER.replace("lr=0.1", "lr=args.lr") + 'p.add_argument("--lr", type=float, default=0.1)\n'
    mutation = BY_NAME["rate-far-too-high-as-option-default"]
    assert list(mutation.plant(source_of(train=text)))
    assert not list(mutation.plant(source_of(command=("train.py", "--lr", "0.2"), train=text)))


def test_a_number_is_scaled_where_it_is_written() -> None:
    assert changed("rate-far-too-low-in-optimizer-call", train=HELPER) == [
        "o = torch.optim.SGD(net.parameters(), lr=1e-06)"
    ]


def test_a_loop_without_a_counter_gets_one() -> None:
    text = HELPER.replace("        one_step(net, o, crit, xb, yb)\n", "") + ""
    loop = text.replace(
        "    for xb, yb in data:\n",
        "    for xb, yb in data:\n        o.zero_grad()\n        crit(net(xb), yb).backward()\n        o.step()\n",
    )
    (one,) = [
        item for item in planted("accumulation-clears-each-batch", train=loop) if "batch_idx" in item.files["train.py"]
    ]
    assert "for batch_idx, (xb, yb) in enumerate(data):" in one.files["train.py"]
    assert "if (batch_idx + 1) % 8 == 0: o.step()" in one.files["train.py"]


def test_targets_are_told_from_inputs_by_their_names() -> None:
    view = training(source_of(train=HELPER))
    assert [(batch.inputs, batch.target) for batch in view.batches] == [("xb", "yb")]
