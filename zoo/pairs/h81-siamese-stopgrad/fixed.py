"""Self-supervised features (BYOL style): a slowly moving target network, stopped gradients, negative losses,
then a linear probe on the frozen encoder."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

EPOCHS, BATCH, TAU = 25, 128, 0.98


def view(x):
    """Small shifts, occlusion and noise."""
    n = len(x)
    dy, dx = torch.randint(-1, 2, (2, n))
    padded = F.pad(x, (1, 1, 1, 1))
    rows = (torch.arange(8)[None, :] + 1 + dy[:, None])
    cols = (torch.arange(8)[None, :] + 1 + dx[:, None])
    out = padded[torch.arange(n)[:, None, None], 0, rows[:, :, None], cols[:, None, :]].unsqueeze(1)
    out = out * (torch.rand(n, 1, 8, 8) > 0.1)
    return out * torch.empty(n, 1, 1, 1).uniform_(0.8, 1.2) + 0.1 * torch.randn_like(out)


def encoder():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.Flatten(),
        nn.Linear(64 * 16, 96), nn.BatchNorm1d(96), nn.ReLU(),
    )


def projector(n_in, n_out=48):
    return nn.Sequential(nn.Linear(n_in, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, n_out))


class Byol(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(encoder(), projector(96))
        self.predictor = projector(48)
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def forward(self, a, b):
        def side(u, v):
            with torch.no_grad():
                goal = self.target(v)
            return -F.cosine_similarity(self.predictor(self.online(u)), goal.detach(), dim=1).mean()

        return 0.5 * (side(a, b) + side(b, a))

    @torch.no_grad()
    def follow(self, tau):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - tau)


def probe(model, train, val):
    model.eval()
    with torch.no_grad():
        f_tr, f_va = (model.online[0](x).numpy() for x, _ in (train, val))
    clf = LogisticRegression(max_iter=500, C=1.0).fit(f_tr, train[1])
    return clf.score(f_va, val[1])


def main():
    torch.manual_seed(1)
    x, y = load_digits(return_X_y=True)
    x_tr, x_va, y_tr, y_va = train_test_split(x / 16.0, y, test_size=0.3, random_state=1, stratify=y)
    x_tr, x_va = (torch.tensor(a, dtype=torch.float32).view(-1, 1, 8, 8) for a in (x_tr, x_va))
    model = Byol()
    trainable = list(model.online.parameters()) + list(model.predictor.parameters())
    optimizer = torch.optim.AdamW(trainable, lr=2e-3, weight_decay=1e-3)
    for epoch in range(EPOCHS):
        model.train()
        total, count = 0.0, 0
        for idx in torch.randperm(len(x_tr)).split(BATCH):
            if len(idx) < BATCH:
                continue
            loss = model(view(x_tr[idx]), view(x_tr[idx]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.follow(TAU)
            total, count = total + loss.item(), count + 1
        if (epoch + 1) % 5 == 0:
            print(f"epoch {epoch + 1:2d} loss {total / count:.4f} probe acc {probe(model, (x_tr, y_tr), (x_va, y_va)):.4f}")
    print(f"final probe acc {probe(model, (x_tr, y_tr), (x_va, y_va)):.4f}")


if __name__ == "__main__":
    main()
