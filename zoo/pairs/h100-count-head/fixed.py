# Hourly bike counts (simulated) -- non-negative rate output, Poisson loss, offset for station size
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(21)
rng = np.random.default_rng(21)

STATIONS, DAYS = 30, 160
size = rng.lognormal(1.5, 0.6, STATIONS)                 # docks in tens, known
pref = rng.normal(0, 0.5, (STATIONS, 2))                 # commuter / leisure, to be learned
hours = np.arange(24)
commute = np.exp(-0.5 * ((hours - 8) / 1.2) ** 2) + np.exp(-0.5 * ((hours - 17) / 1.8) ** 2)
leisure = np.exp(-0.5 * ((hours - 14) / 3.5) ** 2)

rows = []
rain = rng.random((DAYS, 24)) < 0.15
temp = 12 + 9 * np.sin(2 * np.pi * np.arange(DAYS) / 365)[:, None] + 4 * np.sin((hours - 9) / 24 * 2 * np.pi) + rng.normal(0, 2, (DAYS, 24))
for s in range(STATIONS):
    for d in range(DAYS):
        weekend = d % 7 >= 5
        curve = leisure * np.exp(pref[s, 1]) * (1.5 if weekend else 0.6) + commute * np.exp(pref[s, 0]) * (0.15 if weekend else 1.2)
        rate = size[s] * (0.02 + curve) * np.exp(0.03 * (temp[d] - 12) - 1.2 * rain[d])
        n = rng.poisson(rate)
        rows.append(np.column_stack([np.full(24, s), np.full(24, d), hours, np.full(24, weekend), temp[d], rain[d], n]))
table = np.concatenate(rows)
print(f"{len(table)} station-hours, {np.mean(table[:, -1] == 0):.1%} without a ride, mean {table[:, -1].mean():.2f}")

day = table[:, 1]
train_mask = day < 130
test_mask = ~train_mask


def to_tensors(t):
    station = torch.tensor(t[:, 0], dtype=torch.long)
    h = t[:, 2] * 2 * np.pi / 24
    x = np.column_stack([np.sin(h), np.cos(h), np.sin(2 * h), np.cos(2 * h), np.sin(3 * h), np.cos(3 * h),
                         t[:, 3], (t[:, 4] - 14) / 6, t[:, 5]])
    offset = torch.tensor(np.log(size[t[:, 0].astype(int)]), dtype=torch.float32)
    return station, torch.tensor(x, dtype=torch.float32), offset, torch.tensor(t[:, -1], dtype=torch.float32)


class RateNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.station = nn.Embedding(STATIONS, 4)
        self.net = nn.Sequential(nn.Linear(9 + 4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, station, x, offset):
        z = self.net(torch.cat([x, self.station(station)], dim=1)).squeeze(1)
        # rides cannot be negative
        return nn.functional.softplus(z) * torch.exp(offset)


train, test = to_tensors(table[train_mask]), to_tensors(table[test_mask])
net = RateNet()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
poisson = nn.PoissonNLLLoss(log_input=False, eps=1e-6)
epochs, batch = 5, 256
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=epochs)

for epoch in range(epochs):
    net.train()
    total = n = 0
    for idx in torch.randperm(len(train[0])).split(batch):
        s, x, o, y = (t[idx] for t in train)
        loss = poisson(net(s, x, o), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
        n += len(idx)
    sched.step()
    print(f"epoch {epoch} poisson loss {total / n:.4f}")

net.eval()
with torch.no_grad():
    mu = net(*test[:3])
    y = test[3]
    dev = lambda m: 2 * (torch.xlogy(y, y / m) - (y - m)).mean()
    explained = 1 - dev(mu) / dev(torch.full_like(y, train[3].mean().item()))
print(f"explained deviance: {explained.item():.4f}")
