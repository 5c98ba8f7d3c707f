"""ConvNet on 8x8 digits evaluated with an exponential moving average of the weights."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def conv_block(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU())


class SmallConvNet(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.features = nn.Sequential(conv_block(1, 16), nn.MaxPool2d(2), conv_block(16, 32), conv_block(32, 32))
        self.head = nn.Linear(32, n_classes)

    def forward(self, x):
        return self.head(self.features(x).mean(dim=(2, 3)))


class WeightAverage:
    def __init__(self, model, decay=0.98):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval()
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for avg, p in zip(self.shadow.parameters(), model.parameters()):
            avg.lerp_(p, 1 - self.decay)
        for avg, b in zip(self.shadow.buffers(), model.buffers()):
            avg.copy_(b)


@torch.no_grad()
def accuracy(net, loader):
    good = sum((net(x).argmax(1) == y).sum().item() for x, y in loader)
    return good / len(loader.dataset)


def get_loaders(batch_size, seed):
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1)
    y = torch.tensor(d.target)
    tr, te = train_test_split(range(len(y)), test_size=0.25, stratify=d.target, random_state=seed)
    mean, std = x[tr].mean(), x[tr].std()
    x = (x - mean) / std
    return (DataLoader(TensorDataset(x[tr], y[tr]), batch_size, shuffle=True, drop_last=True),
            DataLoader(TensorDataset(x[te], y[te]), 256))


def run(epochs=20, batch_size=64, lr=0.05, seed=0):
    torch.manual_seed(seed)
    train_loader, test_loader = get_loaders(batch_size, seed)
    net = SmallConvNet()
    ema = WeightAverage(net)
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for x, y in train_loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
            ema.update(net)
            total += loss.item()
        print(f"epoch {epoch + 1:2d}  loss {total / len(train_loader):.4f}  "
              f"test acc (averaged weights) {accuracy(ema.shadow, test_loader):.4f}")


if __name__ == "__main__":
    run()
