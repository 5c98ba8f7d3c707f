import argparse

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

from features import CLASSES, make_split


class AudioCNN(nn.Module):
    def __init__(self, n_bands: int, n_classes: int):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(24, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
        )
        self.fc = nn.Linear(2 * 32, n_classes)

    def forward(self, spec):
        h = self.conv(spec.unsqueeze(1))
        pooled = torch.cat([h.mean(dim=(2, 3)), h.amax(dim=(2, 3))], dim=1)
        return self.fc(pooled)


def spec_mask(spec, max_t=4, max_f=3):
    """Blank a random time stripe and a random band stripe of each batch."""
    spec = spec.clone()
    t0 = torch.randint(0, spec.size(2) - max_t, ()).item()
    f0 = torch.randint(0, spec.size(1) - max_f, ()).item()
    spec[:, :, t0 : t0 + torch.randint(0, max_t, ()).item()] = 0
    spec[:, f0 : f0 + torch.randint(0, max_f, ()).item(), :] = 0
    return spec


def main(opts):
    torch.manual_seed(opts.seed)
    feats, labels = make_split(900, seed=100)
    eval_feats, eval_labels = make_split(500, seed=200)

    # per-band statistics of the training clips
    mean = feats.mean(dim=(0, 2), keepdim=True)
    std = feats.std(dim=(0, 2), keepdim=True)
    feats, eval_feats = (feats - mean) / std, (eval_feats - mean) / std

    train_dl = DataLoader(TensorDataset(feats, labels), opts.bs, shuffle=True, drop_last=True)
    eval_dl = DataLoader(TensorDataset(eval_feats, eval_labels), 250)

    net = AudioCNN(feats.size(1), len(CLASSES))
    loss_func = nn.CrossEntropyLoss()
    optimizer = optim.Adam(net.parameters(), lr=opts.lr)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 5, 0.5)

    for ep in range(opts.epochs):
        net.train()
        seen, cum = 0, 0.0
        for spec, target in train_dl:
            out = net(spec_mask(spec))
            loss = loss_func(out, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            cum += loss.item() * target.size(0)
            seen += target.size(0)
        scheduler.step()
        print(f"epoch {ep + 1}/{opts.epochs}  loss={cum / seen:.4f}")

    net.eval()
    conf = torch.zeros(len(CLASSES), len(CLASSES), dtype=torch.long)
    with torch.no_grad():
        for spec, target in eval_dl:
            pred = net(spec).argmax(dim=1)
            for t, p in zip(target, pred):
                conf[t, p] += 1
    for name, row in zip(CLASSES, conf):
        print(f"{name:>12s}  " + " ".join(f"{v:4d}" for v in row.tolist()))
    acc = conf.diag().sum().item() / conf.sum().item()
    print(f"eval accuracy = {acc:.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--bs", type=int, default=50)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
