# pump efficiency from plant historian tags
import os

import numpy as np
import torch

os.environ.setdefault("OMP_NUM_THREADS", "1")
SEED = 17
np.random.seed(SEED)
torch.manual_seed(SEED)

N = 5000
p_in = np.random.normal(1.6e5, 2.0e4, N)           # Pa
p_out = p_in + np.random.normal(4.2e5, 6.0e4, N)   # Pa
flow = np.random.uniform(0.01, 0.06, N)            # m3/s
speed = np.random.uniform(120, 310, N)             # rad/s
visc = np.random.lognormal(-11.0, 0.35, N)         # m2/s
temp = np.random.normal(315, 12, N)                # K

head = (p_out - p_in) / 4.2e5
phi = flow / 0.035 * 215 / speed
eff = 0.82 - 0.30 * (phi - 1.0) ** 2 - 0.10 * np.log(visc / 1.67e-5) + 0.06 * np.tanh(2 * (head - 1)) \
    - 0.0015 * (temp - 315) + np.random.normal(0, 0.01, N)
eff = eff.clip(0.05, 0.95)

TAGS = ["p_in", "p_out", "flow", "speed", "visc", "temp"]
X = np.stack([p_in, p_out, flow, speed, visc, temp], axis=1)
train, val, test = np.split(np.arange(N), [3500, 4200])
center, spread = X[train].mean(0), X[train].std(0)
for name, c, s in zip(TAGS, center, spread):
    print(f"  {name:6s} mean {c:12.5g} std {s:12.5g}")
Xs = torch.tensor((X - center) / spread, dtype=torch.float32)
Y = torch.tensor(eff, dtype=torch.float32)[:, None]

net = torch.nn.Sequential(
    torch.nn.Linear(len(TAGS), 64), torch.nn.ReLU(),
    torch.nn.Linear(64, 64), torch.nn.ReLU(),
    torch.nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
decay = torch.optim.lr_scheduler.MultiStepLR(opt, [20, 30], gamma=0.3)
mse = torch.nn.MSELoss()

best, best_weights, stale = float("inf"), None, 0
for epoch in range(40):
    net.train()
    order = np.random.permutation(train)
    for k in range(0, len(order), 50):
        b = order[k:k + 50]
        loss = mse(net(Xs[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    decay.step()
    net.eval()
    with torch.no_grad():
        v = mse(net(Xs[val]), Y[val]).item()
    if v < best:
        best, stale = v, 0
        best_weights = {k: t.clone() for k, t in net.state_dict().items()}
    else:
        stale += 1
    if epoch % 6 == 0:
        print(f"epoch {epoch:3d} val rmse {v ** 0.5:.5f}")
    if stale >= 15:
        print("early stop at", epoch)
        break

net.load_state_dict(best_weights)
with torch.no_grad():
    pred = net(Xs[test])
resid = (pred - Y[test]).numpy()
print(f"test rmse {np.sqrt((resid ** 2).mean()):.4f}  R2 {1 - (resid ** 2).mean() / Y[test].numpy().var():.3f}")
