"""Digits with micro-batches of 8 and an effective batch of 64 (fits the small card in the lab)."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
MICRO, ACCUM, EPOCHS = 8, 8, 12

d = load_digits()
tr, te = train_test_split(range(len(d.target)), test_size=0.25, stratify=d.target, random_state=8)
x = torch.tensor(d.images / 16.0, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(d.target)
train_set = TensorDataset(x[tr], y[tr])
loader = DataLoader(train_set, batch_size=MICRO, shuffle=True)
x_te, y_te = x[te], y[te]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.n1 = nn.GroupNorm(4, 16)
        self.c2 = nn.Conv2d(16, 32, 3, padding=1, stride=2, bias=False)
        self.n2 = nn.GroupNorm(4, 32)
        self.out = nn.Linear(32 * 16, 10)

    def forward(self, x):
        x = F.relu(self.n1(self.c1(x)))
        x = F.relu(self.n2(self.c2(x)))
        return F.log_softmax(self.out(x.flatten(1)), dim=1)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
criterion = nn.NLLLoss(reduction="sum")

for epoch in range(EPOCHS):
    net.train()
    running, pending = 0.0, 0
    for step, (xb, yb) in enumerate(loader, 1):
        loss = criterion(net(xb), yb)
        loss.backward()
        running += loss.item()
        pending += len(yb)
        if step % ACCUM == 0 or step == len(loader):
            for p in net.parameters():
                p.grad.div_(pending)
            optimizer.step()
            optimizer.zero_grad()
            pending = 0
    net.eval()
    with torch.no_grad():
        acc = net(x_te).argmax(1).eq(y_te).float().mean().item()
    print(f"epoch {epoch + 1:2d}: nll {running / len(train_set):.4f}, test acc {acc:.4f}")
