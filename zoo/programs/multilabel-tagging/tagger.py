"""Tag images with the set of things visible in them (multi-label)."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, f1_score
from torch.utils.data import DataLoader, Dataset, random_split

TAGS = ["disk", "hbar", "vbar", "checker", "gradient"]
H = W = 20


def draw(rng, tags):
    img = rng.normal(0.0, 0.4, size=(H, W))
    yy, xx = np.mgrid[:H, :W]
    if tags[0]:
        cy, cx, r = rng.uniform(5, 15), rng.uniform(5, 15), rng.uniform(2.5, 4.0)
        img[(yy - cy) ** 2 + (xx - cx) ** 2 < r * r] += 0.9
    if tags[1]:
        row = rng.integers(1, H - 2)
        img[row:row + 2, :] += 0.7
    if tags[2]:
        col = rng.integers(1, W - 2)
        img[:, col:col + 2] += 0.7
    if tags[3]:
        y0, x0 = rng.integers(0, H - 8), rng.integers(0, W - 8)
        patch = ((yy + xx) % 2 * 2 - 1)[y0:y0 + 8, x0:x0 + 8]
        img[y0:y0 + 8, x0:x0 + 8] += 0.45 * patch
    if tags[4]:
        img += 0.6 * (xx / W - 0.5) * rng.choice([-1, 1])
    return img


class TagDataset(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        priors = np.array([0.35, 0.4, 0.4, 0.3, 0.5])
        self.y = (rng.random((n, len(TAGS))) < priors).astype("float32")
        self.x = np.stack([draw(rng, t) for t in self.y]).astype("float32")

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"image": torch.from_numpy(self.x[i]).unsqueeze(0), "tags": torch.from_numpy(self.y[i])}


class TagNet(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.GroupNorm(4, 12), nn.SiLU(),
            nn.Conv2d(12, 20, 3, stride=2, padding=1), nn.GroupNorm(4, 20), nn.SiLU(),
            nn.Conv2d(20, 32, 3, stride=2, padding=1), nn.GroupNorm(4, 32), nn.SiLU(),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(32 * 5 * 5, 64), nn.SiLU(), nn.Dropout(0.2), nn.Linear(64, n_tags))

    def forward(self, x):
        return self.classifier(self.features(x))


def predict(model, loader):
    model.eval()
    scores, truth = [], []
    with torch.no_grad():
        for batch in loader:
            scores.append(torch.sigmoid(model(batch["image"])))
            truth.append(batch["tags"])
    return torch.cat(scores).numpy(), torch.cat(truth).numpy()


def main():
    full = TagDataset(1500, seed=5)
    train_set, valid_set = random_split(full, [1100, 400])
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True)
    valid_loader = DataLoader(valid_set, batch_size=200)

    model = TagNet(len(TAGS))
    loss_fn = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

    for epoch in range(1, 10):
        model.train()
        total = 0.0
        for batch in train_loader:
            optimizer.zero_grad()
            logits = model(batch["image"])
            loss = loss_fn(logits, batch["tags"])
            loss.backward()
            optimizer.step()
            total += loss.item()
        scores, truth = predict(model, valid_loader)
        print(f"epoch {epoch:2d}  bce {total / len(train_loader):.4f}  mAP {average_precision_score(truth, scores, average='macro'):.4f}")

    scores, truth = predict(model, valid_loader)
    for i, tag in enumerate(TAGS):
        print(f"   {tag:10s} F1 = {f1_score(truth[:, i], scores[:, i] > 0.5):.3f}")
    print(f"macro F1 on validation: {f1_score(truth, scores > 0.5, average='macro'):.4f}")


if __name__ == "__main__":
    main()
