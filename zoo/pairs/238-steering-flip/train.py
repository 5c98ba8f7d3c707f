"""Behaviour cloning of a lane-keeping car: top camera strip -> steering angle."""
import math
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

H, W = 24, 40
SEED = 0


def render(offset, heading, curve, gen):
    """draw two lane markings as seen from the car; returns image and the expert's steering angle"""
    rows = torch.arange(H).float()
    depth = (H - rows) / H                       # 0 near, 1 far
    centre = W / 2 - 9 * offset * (1 - 0.7 * depth) + 12 * heading * depth + 14 * curve * depth ** 2
    half = 13 * (1 - 0.75 * depth)
    cols = torch.arange(W).float()
    img = torch.zeros(H, W)
    for side in (-1, 1):
        pos = (centre + side * half)[:, None]
        img += torch.exp(-0.5 * ((cols[None] - pos) / 0.8) ** 2)
    img = img * (0.6 + 0.6 * torch.rand(1, generator=gen)) + 0.15 * torch.randn(H, W, generator=gen)
    angle = 0.6 * math.tanh(-1.1 * offset + 1.4 * heading + 1.8 * curve)
    return img, angle


class Drive(Dataset):
    def __init__(self, n, seed, augment):
        gen = torch.Generator().manual_seed(seed)
        # the track is driven counter-clockwise: more left curves
        par = torch.randn(n, 3, generator=gen) * torch.tensor([0.4, 0.3, 0.4])
        if augment:
            par[:, 2] += 0.15
        out = [render(*p.tolist(), gen) for p in par]
        self.img = torch.stack([o[0] for o in out]).unsqueeze(1)
        self.angle = torch.tensor([o[1] for o in out])
        self.augment = augment

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        img, angle = self.img[i], self.angle[i]
        if self.augment:
            if torch.rand(1) < 0.5:
                img = img.flip(-1)
            img = img * (0.8 + 0.4 * torch.rand(1))
            if torch.rand(1) < 0.3:
                r = int(torch.randint(0, H - 4, (1,)))
                img = img.clone()
                img[:, r:r + 4] = 0
        return img, angle


class PilotNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 12, 5, stride=2), nn.ELU(),
            nn.Conv2d(12, 24, 3, stride=2), nn.ELU(),
            nn.Conv2d(24, 32, 3), nn.ELU(),
            nn.Flatten(),
        )
        with torch.no_grad():
            n = self.conv(torch.zeros(1, 1, H, W)).shape[1]
        self.fc = nn.Sequential(nn.Linear(n, 64), nn.ELU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, x):
        return self.fc(self.conv(x)).squeeze(-1)


@torch.no_grad()
def mae_degrees(model, loader):
    model.eval()
    err = torch.cat([(model(x) - y).abs() for x, y in loader])
    return math.degrees(err.mean().item())


def main():
    torch.manual_seed(SEED)
    train = DataLoader(Drive(3000, SEED + 1, augment=True), batch_size=64, shuffle=True)
    test = DataLoader(Drive(600, SEED + 2, augment=False), batch_size=200)
    model = PilotNet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=8, gamma=0.3)
    crit = nn.SmoothL1Loss(beta=0.1)
    start = time.time()
    for epoch in range(12):
        model.train()
        total = 0.0
        for x, y in train:
            loss = crit(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(x)
        sched.step()
        print(f"epoch {epoch:2d} loss {total / len(train.dataset):.4f} test {mae_degrees(model, test):.2f} deg "
              f"{time.time() - start:.0f}s")
    print(f"test steering error (degrees): {mae_degrees(model, test):.3f}")


if __name__ == "__main__":
    main()
