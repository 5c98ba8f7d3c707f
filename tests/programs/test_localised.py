"""A NaN that a check meets is traced to the operation that made it, by repeating the step in a copy of the program."""

from collections.abc import Callable
from typing import Any

PROGRAM = """
import torch
from torch import nn
torch.manual_seed(0)
class Distance(nn.Module):
    def forward(self, a, b):
        return ((a - b) ** 2).sum(1).sqrt()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 4)
        self.distance = Distance()
    def forward(self, x, anchor):
        z = self.body(x)
        return self.distance(z, torch.where(anchor, z.detach(), torch.zeros_like(z)))
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    x = torch.randn(16, 8)
    anchor = torch.zeros(16, 1, dtype=torch.bool)
    anchor[3] = step == 25
    loss = net(x, anchor).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_bad_gradient_is_traced_to_the_slope_of_an_operation(judge: Callable[..., Any]) -> None:
    checked = judge(PROGRAM, select=["value-nonfinite"])
    finding = checked.finding("value-nonfinite")
    assert (finding["where"]["line"], finding["where"]["step"], finding["where"]["module"]) == (7, 25, "distance")
    assert "`sqrt` at 1 exact zero(s), where its slope is infinite" in finding["saw"]
    assert "`sqrt` was given `self` 16 float32 in [0, " in finding["saw"]
    assert finding["do"] == "add an epsilon under the root"
