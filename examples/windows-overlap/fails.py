"""Tells from windows of three sensors what a machine is doing."""

import torch
from torch import nn

torch.manual_seed(0)
doing = torch.randint(0, 3, (60,)).repeat_interleave(60)
sensors = torch.randn(3600, 3) + 0.8 * nn.functional.one_hot(doing, 3)
windows = sensors.unfold(0, 24, 6).transpose(1, 2).contiguous()
label = doing.unfold(0, 24, 6).mode(1).values
order = torch.randperm(len(windows))
train, test = order[:450], order[450:]


class Watcher(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.head = nn.GRU(3, 24, batch_first=True), nn.Linear(24, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(x)[0].mean(1))


model = Watcher()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(12):
    model.train()
    for rows in train[torch.randperm(450)].split(50):
        loss = nn.functional.cross_entropy(model(windows[rows]), label[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = (model(windows[test]).argmax(1) == label[test]).float().mean().item()
    print(f"epoch {epoch}: {right:.3f}")
