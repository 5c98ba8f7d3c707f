"""What is known about names and calls after a file was followed."""

from pathlib import Path

import pytest

from firstlight.observe.source.following import source_file
from firstlight.observe.source.project import Project
from firstlight.records.source import Assignment, Call, SourceFile, Value


def followed(folder: Path, code: str, others: dict[str, str] | None = None) -> SourceFile:
    for name, text in (others or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    path = folder / "main.py"
    path.write_text(code)
    return source_file(path, folder, code.encode(), Project(folder))[0]


def value_of(source: SourceFile, name: str) -> Value:
    """What was assigned to a name last."""
    steps = [step for trace in source.traces for step in trace.steps]
    return [step.value for step in steps if isinstance(step, Assignment) and step.target == name][-1]


def calls(source: SourceFile, target: str) -> list[Call]:
    return [call for trace in source.traces for call in trace.calls(target)]


HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    ("code", "act"),
    [
        ("out = nn.Linear(2, 3)(torch.randn(1, 2))", "none"),
        ("out = F.softmax(nn.Linear(2, 3)(1), dim=1).view(-1)", "softmax"),
        ("out = nn.Sequential(nn.Linear(2, 3), nn.Sigmoid(), nn.Dropout(0.1))(1)", "sigmoid"),
        ("layers = [nn.Linear(2, 3)]\nlayers += [nn.ReLU()]\nout = nn.Sequential(*layers)(1)", "relu"),
        ("out = torch.log(torch.softmax(nn.Linear(2, 3)(1), 1))", "log_softmax"),
        ("x = nn.Linear(2, 3)(1)\nout = x.tanh() if x.sum() > 0 else x", ""),
        ("x = nn.Linear(2, 3)(1)\nif x.sum() > 0:\n    x = x.softmax(1)\nout = x", ""),
        ("def f(x):\n    return x.sigmoid()\nout = f(nn.Linear(2, 3)(1))", "sigmoid"),
        ("act = nn.Softmax(dim=1)\nout = 2 * act(1)", ""),
    ],
)
def test_the_last_activation_is_known_where_it_is_certain(tmp_path: Path, code: str, act: str) -> None:
    assert value_of(followed(tmp_path, HEAD + code + "\n"), "out").act == act


MODEL = """
class Net(nn.Module):
    def __init__(self, last=True):
        super().__init__()
        self.body = nn.Linear(4, 3)
        self.last = nn.Softmax(dim=1)

    def forward(self, x):
        return self.last(self.body(x))
"""


def test_a_model_is_followed_into_its_forward(tmp_path: Path) -> None:
    source = followed(tmp_path, HEAD + MODEL + "out = Net().to('cpu')(torch.randn(1, 4))\n")

    out = value_of(source, "out")
    assert (out.act, out.size, out.has("output")) == ("softmax", 3, True)
    assert out.act_at is not None
    assert out.act_at.line == 9


@pytest.mark.parametrize(
    ("statement", "others"),
    [
        ("from model import Net", {"model.py": HEAD + MODEL}),
        ("import model\nNet = model.Net", {"model.py": HEAD + MODEL}),
        ("from nets import Net", {"nets/__init__.py": "from .small import Net\n", "nets/small.py": HEAD + MODEL}),
        ("from nets.small import Net as Net", {"nets/small.py": HEAD + MODEL}),
    ],
)
def test_imports_lead_to_other_files(tmp_path: Path, statement: str, others: dict[str, str]) -> None:
    out = value_of(followed(tmp_path, f"{statement}\nout = Net()(1)\n# torch\n", others), "out")

    assert out.act == "softmax"


def test_what_a_base_class_defines_is_found(tmp_path: Path) -> None:
    source = followed(tmp_path, HEAD + MODEL + "class Other(Net):\n    pass\nout = Other()(1)\n")

    assert value_of(source, "out").act == "softmax"


def test_calls_are_noted_in_order_with_their_loops(tmp_path: Path) -> None:
    code = HEAD + (
        "from torch.utils.data import DataLoader\n"
        "def step(model, x, optimizer):\n"
        "    optimizer.zero_grad()\n    model(x).sum().backward()\n    optimizer.step()\n"
        "model = nn.Linear(2, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=1)\n"
        "for epoch in range(3):\n    for x in DataLoader([1]):\n        step(model, x, optimizer)\n"
    )
    source = followed(tmp_path, code)
    (trace,) = [trace for trace in source.traces if trace.function == ""]

    wanted = ("optimizer.zero_grad", "tensor.backward", "optimizer.step")
    found = [call for call in trace.calls() if call.target in wanted]
    assert tuple(call.target for call in found) == wanted
    assert [loop.kind for loop in found[0].loops] == ["range", "batches"]
    assert found[0].function == "step"


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        ("out.detach()", "detach()"),
        ("out.data", ".data"),
        ("out.argmax(1)", "argmax"),
        ("out > 0", ">"),
        ("out * 1", ""),
    ],
)
def test_what_cuts_a_value_off_is_known(tmp_path: Path, cut: str, told: str) -> None:
    assert value_of(followed(tmp_path, HEAD + f"out = nn.Linear(2, 3)(1)\ncut = {cut}\n"), "cut").cut == told


def test_one_connected_term_keeps_a_sum_connected(tmp_path: Path) -> None:
    source = followed(tmp_path, HEAD + "a = nn.Linear(2, 3)(1)\nboth = a.detach() + a\nnone = a.detach() + 1\n")

    assert value_of(source, "both").cut == ""
    assert value_of(source, "none").cut == "detach()"


@pytest.mark.parametrize(
    "code", ["def f():\n    return f()\nf()\n", "class A:\n    def __init__(self):\n        A()\nA()\n"]
)
def test_recursion_ends(tmp_path: Path, code: str) -> None:
    assert followed(tmp_path, HEAD + code).problem is None


def test_a_program_that_calls_itself_a_thousand_ways_ends_soon(tmp_path: Path) -> None:
    functions = "".join(
        f"def f{i}(loss):\n    loss.backward()\n" + "".join(f"    f{j}(loss)\n" for j in range(12)) for i in range(12)
    )
    source = followed(tmp_path, HEAD + functions)

    assert source.problem is None
    assert any(call.opaque for trace in source.traces for call in trace.calls() if call.target.startswith("own."))
