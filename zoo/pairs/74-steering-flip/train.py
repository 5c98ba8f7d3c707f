"""Behavioural cloning on a toy track: predict the steering angle from a 24x32 camera frame."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

H, W = 24, 32


def render_frames(n, rng):
    """A curved lane seen from the car: row 0 is far away, the last row is in front of the bumper."""
    offset = rng.uniform(-0.5, 0.5, n)
    curve = rng.uniform(-1.0, 1.0, n)
    depth = np.linspace(1, 0, H)[None, :, None]
    cols = np.linspace(-1, 1, W)[None, None, :]
    centre = offset[:, None, None] * (1 - 0.6 * depth) + curve[:, None, None] * 0.7 * depth ** 2
    half = 0.45 - 0.3 * depth
    left = np.exp(-((cols - centre + half) / 0.06) ** 2)
    right = np.exp(-((cols - centre - half) / 0.06) ** 2)
    frames = left + right + 0.25 * rng.standard_normal((n, H, W)) + rng.uniform(-0.3, 0.3, (n, 1, 1))
    angle = 0.6 * curve + 0.5 * offset + 0.02 * rng.standard_normal(n)
    return frames.astype("float32"), angle.astype("float32")


class DriveLog(Dataset):
    def __init__(self, frames, angles, mean, std, augment=False):
        self.frames = torch.from_numpy((frames - mean) / std).unsqueeze(1)
        self.angles = torch.from_numpy(angles)
        self.augment = augment

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, i):
        img, angle = self.frames[i], self.angles[i]
        if self.augment:
            if torch.rand(()) < 0.5:
                img = img.flip(-1)
            img = img * (0.9 + 0.2 * torch.rand(())) + 0.1 * torch.randn(())
        return img, angle


class PilotNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.ELU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ELU(),
            nn.Conv2d(24, 24, 3, stride=2, padding=1), nn.ELU(),
        )
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(24 * 3 * 4, 48), nn.ELU(), nn.Linear(48, 1))

    def forward(self, x):
        return self.fc(self.features(x)).squeeze(1)


def validate(model, loader):
    model.eval()
    preds, targets = [], []
    with torch.no_grad():
        for img, angle in loader:
            preds.append(model(img))
            targets.append(angle)
    p, t = torch.cat(preds), torch.cat(targets)
    return (p - t).abs().mean().item(), (1 - ((p - t) ** 2).sum() / ((t - t.mean()) ** 2).sum()).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=32)
    opt = parser.parse_args()

    torch.manual_seed(2)
    rng = np.random.default_rng(2)
    frames, angles = render_frames(3000, rng)
    val_frames, val_angles = render_frames(600, rng)
    mean, std = frames.mean(), frames.std()
    train_loader = DataLoader(DriveLog(frames, angles, mean, std, augment=True), opt.batch, shuffle=True)
    val_loader = DataLoader(DriveLog(val_frames, val_angles, mean, std), 200)

    model = PilotNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr)
    criterion = nn.MSELoss()
    for epoch in range(opt.epochs):
        model.train()
        seen, total = 0, 0.0
        for img, angle in train_loader:
            loss = criterion(model(img), angle)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += len(img)
            total += loss.item() * len(img)
        mae, r2 = validate(model, val_loader)
        print(f"epoch {epoch:02d}  train mse {total / seen:.4f}  val MAE {mae:.4f}  val R2 {r2:.3f}")


if __name__ == "__main__":
    main()
