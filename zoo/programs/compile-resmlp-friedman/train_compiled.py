import time

import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)

# ---- data -------------------------------------------------------------
X, y = make_friedman1(n_samples=2400, n_features=12, noise=0.5, random_state=7)
n_train, n_val = 1600, 400
x_scaler = StandardScaler().fit(X[:n_train])
X = torch.tensor(x_scaler.transform(X), dtype=torch.float32)
y_mean, y_std = y[:n_train].mean(), y[:n_train].std()
y = torch.tensor((y - y_mean) / y_std, dtype=torch.float32).unsqueeze(1)

Xtr, ytr = X[:n_train], y[:n_train]
Xva, yva = X[n_train:n_train + n_val], y[n_train:n_train + n_val]
Xte, yte = X[n_train + n_val:], y[n_train + n_val:]


# ---- model ------------------------------------------------------------
class ResBlock(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.lin1 = nn.Linear(d, hidden)
        self.lin2 = nn.Linear(hidden, d)

    def forward(self, x):
        return x + self.lin2(torch.nn.functional.gelu(self.lin1(self.norm(x))))


class ResMLP(nn.Module):
    def __init__(self, n_in, d=32, depth=2):
        super().__init__()
        self.stem = nn.Linear(n_in, d)
        self.blocks = nn.ModuleList(ResBlock(d, 2 * d) for _ in range(depth))
        self.head = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 1))

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


net = ResMLP(X.shape[1])
compiled = torch.compile(net, backend="aot_eager")

opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=16)
loss_fn = nn.MSELoss()
BATCH = 64
EPOCHS = 16

start = time.time()
for epoch in range(EPOCHS):
    compiled.train()
    order = torch.randperm(n_train)
    total = 0.0
    for i in range(0, n_train, BATCH):  # 1600 = 25 * 64, so shapes stay static
        idx = order[i:i + BATCH]
        opt.zero_grad()
        loss = loss_fn(compiled(Xtr[idx]), ytr[idx])
        loss.backward()
        opt.step()
        total += loss.item()
    sched.step()

    net.eval()
    with torch.no_grad():
        val = loss_fn(net(Xva), yva).item()
    if epoch % 4 == 3:
        print("epoch %2d | train %.4f | val %.4f | lr %.2e" % (epoch + 1, total / (n_train // BATCH), val, sched.get_last_lr()[0]))

print("training took %.1fs" % (time.time() - start))

net.eval()
with torch.no_grad():
    resid = (net(Xte) - yte) * y_std
    rmse = resid.pow(2).mean().sqrt().item()
    base = ((yte - ytr.mean()) * y_std).pow(2).mean().sqrt().item()
print("mean-predictor RMSE: %.3f" % base)
print("test RMSE: %.3f" % rmse)
