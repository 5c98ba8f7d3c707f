"""Relations in what programs are fed, seen in programs of several styles."""

from collections.abc import Callable
from typing import Any


def names(checked: Any) -> set[str]:
    return {finding["name"] for finding in checked.report["findings"]}


BY_HAND = """
import torch
from torch import nn

torch.manual_seed(0)
weights = torch.randn(6, 16, requires_grad=True)
out = torch.randn(16, 1, requires_grad=True)
table = torch.randn(400, 6)
wanted = table[:, :3].sum(1, keepdim=True).tanh() + 0.3 * torch.randn(400, 1)
LEAK
with torch.no_grad():
    weights *= 0.3
    out *= 0.2
optimizer = torch.optim.SGD([weights, out], lr=0.05)
for step in range(80):
    rows = torch.randint(0, 400, (32,))
    answer = torch.relu(table[rows] @ weights) @ out
    loss = ((answer - wanted[rows]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_leak_is_found_without_modules_loaders_and_loss_functions(judge: Callable[..., Any]) -> None:
    leaking = judge(BY_HAND.replace("LEAK", "table[:, 5:] = wanted.exp()"), profile="quick")

    assert leaking.finding("feature-tells-answer")["cause"] == "data-leak-target"
    assert "feature 5 of 6" in leaking.finding("feature-tells-answer")["saw"]


def test_honest_features_by_hand_are_fine(judge: Callable[..., Any]) -> None:
    assert "feature-tells-answer" not in names(judge(BY_HAND.replace("LEAK", ""), profile="quick"))


UNREAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(256, 24)
labels = (inputs[:, 0] > 0).long()
train = DataLoader(TensorDataset(inputs[:160], labels[:160]), batch_size=16, shuffle=True)
val = DataLoader(TensorDataset(inputs[CHOSEN], labels[CHOSEN]), batch_size=32)
model = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(50):
    for batch, answers in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch), answers).backward()
        optimizer.step()
with torch.no_grad():
    for batch, answers in val:
        model(batch)
"""


def test_a_loader_that_was_not_evaluated_on_yet_is_read_by_a_copy(judge: Callable[..., Any]) -> None:
    overlapping = judge(
        UNREAD.replace("CHOSEN", "torch.arange(256).reshape(8, 32).t().reshape(-1)[:128]"), profile="quick"
    )

    assert overlapping.finding("split-overlap")["cause"] == "data-leak-split"
    assert "of 128 evaluated examples" in overlapping.finding("split-overlap")["saw"]


def test_a_loader_of_other_examples_is_fine(judge: Callable[..., Any]) -> None:
    assert judge(UNREAD.replace("CHOSEN", "slice(160, None)"), profile="quick").loud() == []


FIRST_STATE = """
import torch
from torch import nn

torch.manual_seed(0)
series = torch.randn(8, 20, 4)
wanted = series.sum(2).cumsum(1)[..., None].tanh()
model, head = nn.GRU(4, 16, batch_first=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-2)
for step in range(40):
    hidden = torch.zeros(1, 8, 16)
    made, _ = model(series, hidden)
    loss = nn.functional.mse_loss(head(made), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_zeros_for_a_first_state_do_not_make_a_new_batch(judge: Callable[..., Any]) -> None:
    assert "batch-repeats" not in names(judge(FIRST_STATE, profile="quick"))


COLLOCATION = """
import torch
from torch import nn

torch.manual_seed(0)
KEPT = torch.linspace(0, 2, 80).unsqueeze(1)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
held = []
for step in range(60):
    place = (FED).requires_grad_(True)
    held.append(place)  # nothing is given the same memory again
    value = model(2 * place - 1)
    slope = torch.autograd.grad(value.sum(), place, create_graph=True)[0]
    loss = (slope + value).square().mean() + (model(torch.full((1, 1), -1.0)) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_copy_of_all_that_there_is_is_no_stale_batch(judge: Callable[..., Any]) -> None:
    assert "batch-repeats" not in names(judge(COLLOCATION.replace("FED", "KEPT.clone()"), profile="quick"))


def test_the_same_part_of_it_each_time_is(judge: Callable[..., Any]) -> None:
    assert "batch-repeats" in names(judge(COLLOCATION.replace("FED", "KEPT[:40].clone()"), profile="quick"))


SIMULATED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Simulator(Dataset):
    def __len__(self):
        return 200

    def __getitem__(self, row):
        torch.manual_seed(SEED)
        x = torch.randn(8)
        return x, x[:1].sin()


draws = iter(range(10**6))
train = DataLoader(Simulator(), batch_size=20)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    for x, y in train:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
"""


def test_examples_drawn_anew_need_no_shuffling(judge: Callable[..., Any]) -> None:
    assert "training-not-shuffled" not in names(judge(SIMULATED.replace("SEED", "next(draws)"), profile="quick"))


def test_examples_that_come_again_in_their_order_do(judge: Callable[..., Any]) -> None:
    assert "training-not-shuffled" in names(judge(SIMULATED.replace("SEED", "row"), profile="quick"))


LANGUAGE = """
import torch
from torch import nn

torch.manual_seed(0)
tokens = torch.randint(0, 20, (400, 13))
for place in range(1, 13):
    tokens[:, place] = (tokens[:, place - 1] * 3 + torch.randint(0, 3, (400,))) % 20
embed, cell, head = nn.Embedding(20, 16), nn.LSTM(16, 16, batch_first=True), nn.Linear(16, 20)


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.head = embed, cell, head

    def forward(self, given):
        return self.head(self.cell(self.embed(given))[0])


model = Language()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(20):
    for start in range(0, 384, 16):
        given, wanted = tokens[start : start + 16, :-1], tokens[start : start + 16, WANTED]
        loss = nn.functional.cross_entropy(model(given).reshape(-1, 20), wanted.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_a_language_model_that_is_asked_for_what_it_is_given(judge: Callable[..., Any]) -> None:
    asked = judge(LANGUAGE.replace("WANTED", ":-1"), steps=120)

    assert asked.finding("target-copies-input")["cause"] == "data-leak-future"
