"""Locate pivot and tip of a gauge needle (two keypoints) in 24x24 crops."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SIZE = 24


def render(rng):
    pivot = rng.uniform(6, SIZE - 7, 2)
    angle, length = rng.uniform(0, 2 * np.pi), rng.uniform(6, 9)
    tip = np.clip(pivot + length * np.array([np.cos(angle), np.sin(angle)]), 1, SIZE - 2)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    img = rng.normal(0, 0.08, (SIZE, SIZE))
    for s in np.linspace(0, 1, 16):
        x, y = pivot + s * (tip - pivot)
        img += 0.25 * np.exp(-((xx - x) ** 2 + (yy - y) ** 2) / 1.2)
    img += 1.0 * np.exp(-((xx - pivot[0]) ** 2 + (yy - pivot[1]) ** 2) / 4.0)
    return img.astype(np.float32), np.concatenate([pivot, tip]).astype(np.float32)


class NeedleDataset(Dataset):
    def __init__(self, n, seed, augment=False):
        rng = np.random.default_rng(seed)
        imgs, kps = zip(*(render(rng) for _ in range(n)))
        self.imgs = torch.from_numpy(np.stack(imgs)).unsqueeze(1)
        self.imgs = (self.imgs - 0.1) / 0.25
        self.kps = torch.from_numpy(np.stack(kps)) / (SIZE - 1)      # x0, y0, x1, y1 in [0, 1]
        self.augment = augment

    def __len__(self):
        return len(self.imgs)

    def __getitem__(self, i):
        img, kp = self.imgs[i], self.kps[i].clone()
        if self.augment:
            if torch.rand(()) < 0.5:
                img = img.flip(-1)
                kp[0::2] = 1 - kp[0::2]
            img = img * (0.8 + 0.4 * torch.rand(())) + 0.1 * torch.randn(())
        return img, kp


class KeypointNet(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, w, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(w, 2 * w, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(2 * w, 2 * w, 3, padding=1), nn.ReLU(),
        )
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(2 * w * 36, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        return self.fc(self.conv(x))


def pixel_error(model, loader):
    model.eval()
    errs = []
    with torch.no_grad():
        for x, kp in loader:
            d = (model(x) - kp).view(-1, 2, 2) * (SIZE - 1)
            errs.append(d.norm(dim=-1))
    return torch.cat(errs).mean().item()


def main():
    torch.manual_seed(14)
    train_dl = DataLoader(NeedleDataset(1500, 0, augment=True), batch_size=32, shuffle=True)
    test_dl = DataLoader(NeedleDataset(400, 1), batch_size=100)
    model = KeypointNet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.SmoothL1Loss(beta=0.05)
    for epoch in range(12):
        model.train()
        running = 0.0
        for x, kp in train_dl:
            loss = loss_fn(model(x), kp)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() / len(train_dl)
        print(f"epoch {epoch + 1:2d}: train loss {running:.5f}, mean test error {pixel_error(model, test_dl):.2f} px")


if __name__ == "__main__":
    main()
