# Digits CNN, plain SGD. Gradients are kept in range with tensor hooks (no separate clipping call in the loop).
import json
import pathlib
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

CFG = json.loads("""{
  "seed": 0, "epochs": 12, "batch_size": 16,
  "lr": 0.02, "momentum": 0.9, "weight_decay": 1e-4,
  "grad_limit": 1.0, "channels": [12, 24]
}""")

torch.manual_seed(CFG["seed"])
digits = load_digits()
X = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
X = (X - X.mean()) / X.std()
Y = torch.tensor(digits.target)
tr, te = train_test_split(torch.arange(len(Y)).numpy(), test_size=0.25, stratify=Y.numpy(), random_state=CFG["seed"])
Xtr, Ytr, Xte, Yte = X[tr], Y[tr], X[te], Y[te]


class Net(nn.Module):
    def __init__(self, c1, c2):
        super().__init__()
        self.conv1 = nn.Conv2d(1, c1, 3, padding=1)
        self.conv2 = nn.Conv2d(c1, c2, 3, padding=1)
        self.fc = nn.Linear(c2 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


model = Net(*CFG["channels"])
limit = CFG["grad_limit"]
for p in model.parameters():
    p.register_hook(lambda g: g.clamp(-limit, limit))

opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"], momentum=CFG["momentum"], weight_decay=CFG["weight_decay"])
ckpt = pathlib.Path(tempfile.mkdtemp()) / "best.pt"
best = 0.0

for epoch in range(CFG["epochs"]):
    model.train()
    total = 0.0
    perm = torch.randperm(len(Xtr))
    for start in range(0, len(perm), CFG["batch_size"]):
        idx = perm[start:start + CFG["batch_size"]]
        out = model(Xtr[idx])
        loss = F.cross_entropy(out, Ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        logits = model(Xte)
        acc = (logits.argmax(1) == Yte).float().mean().item()
        vloss = F.cross_entropy(logits, Yte).item()
    if acc > best:
        best = acc
        torch.save(model.state_dict(), ckpt)
    print(f"epoch {epoch + 1:2d}/{CFG['epochs']} train loss {total / len(Xtr):.4f} val loss {vloss:.4f} val acc {acc:.4f}")

model.load_state_dict(torch.load(ckpt))
model.eval()
with torch.no_grad():
    print("best checkpoint accuracy: %.4f" % (model(Xte).argmax(1) == Yte).float().mean().item())
