import argparse
import time

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=12)
ap.add_argument("--bs", type=int, default=32)
ap.add_argument("--lr", type=float, default=0.05)
ap.add_argument("--seed", type=int, default=11)
args = ap.parse_args()

torch.manual_seed(args.seed)


def get_data():
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16.0
    y = torch.tensor(d.target)
    perm = torch.randperm(len(x))
    x, y = x[perm], y[perm]
    return (x[:1300], y[:1300]), (x[1300:], y[1300:])


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(cout)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1 = Block(1, 16)
        self.b2 = Block(16, 32)
        self.b3 = Block(32, 32)
        self.fc1 = nn.Linear(32 * 4, 64)
        self.bn = nn.BatchNorm1d(64)
        self.drop = nn.Dropout(0.3)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(self.b2(self.b1(x)), 2)
        x = F.max_pool2d(self.b3(x), 2)
        x = F.relu(self.bn(self.fc1(x.flatten(1))))
        return self.fc2(self.drop(x))


def run_epoch(net, data, opt=None):
    """One pass over data."""
    x, y = data
    training = opt is not None
    net.train()
    order = torch.randperm(len(x)) if training else torch.argsort(y)
    tot, hit = 0.0, 0
    with torch.set_grad_enabled(training):
        for i in range(0, len(x), args.bs):
            idx = order[i:i + args.bs]
            out = net(x[idx])
            loss = F.cross_entropy(out, y[idx])
            if training:
                opt.zero_grad()
                loss.backward()
                opt.step()
            tot += loss.item() * len(idx)
            hit += (out.argmax(1) == y[idx]).sum().item()
    return tot / len(x), hit / len(x)


train, test = get_data()
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
t0 = time.time()
for ep in range(args.epochs):
    tl, ta = run_epoch(net, train, opt)
    sched.step()
    vl, va = run_epoch(net, test)
    print(f"[{time.time() - t0:5.1f}s] ep {ep:2d}  train {tl:.3f}/{ta:.3f}   test {vl:.3f}/{va:.3f}")
print("final test accuracy: %.4f" % va)
