import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from augment import TwoViews, place_on_canvas


class Encoder(nn.Module):
    def __init__(self, width=16, feature_dim=32, proj_dim=24):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(width, feature_dim, 3, bias=False),
            nn.BatchNorm2d(feature_dim),
            nn.ReLU(inplace=True),
            nn.Conv2d(feature_dim, feature_dim, 3),
            nn.ReLU(inplace=True),
            nn.AdaptiveMaxPool2d(1),
            nn.Flatten(),
        )
        self.g = nn.Sequential(
            nn.Linear(feature_dim, feature_dim), nn.ReLU(inplace=True), nn.Linear(feature_dim, proj_dim)
        )

    def forward(self, x):
        h = self.f(x)
        return h, F.normalize(self.g(h), dim=-1)


def nt_xent(z1, z2, temperature):
    n = z1.size(0)
    z = torch.cat([z1, z2])
    sim = z @ z.t() / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    positives = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, positives)


@torch.no_grad()
def features(model, x):
    model.eval()
    return torch.cat([model(b)[0] for b in x.split(256)]).numpy()


def linear_probe(model, x_train, y_train, x_test, y_test):
    scaler = StandardScaler()
    h_train = scaler.fit_transform(features(model, x_train))
    h_test = scaler.transform(features(model, x_test))
    clf = LogisticRegression(max_iter=300).fit(h_train, y_train)
    return clf.score(h_test, y_test)


def main():
    parser = argparse.ArgumentParser(description="SimCLR on shifted digits")
    parser.add_argument("--batch-size", type=int, default=96)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--temperature", type=float, default=0.2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32) / 16.0
    canvas = place_on_canvas(images)
    idx_train, idx_test = train_test_split(
        np.arange(len(images)), test_size=0.3, stratify=digits.target, random_state=args.seed
    )
    x_train, x_test = canvas[idx_train], canvas[idx_test]
    y_train, y_test = digits.target[idx_train], digits.target[idx_test]

    model = Encoder()
    print(f"probe on the untrained encoder: {linear_probe(model, x_train, y_train, x_test, y_test):.3f}")
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=1e-6)
    two_views = TwoViews()

    for epoch in range(1, args.epochs + 1):
        model.train()
        losses = []
        for idx in torch.randperm(len(x_train)).split(args.batch_size):
            if len(idx) < args.batch_size:
                continue
            v1, v2 = two_views(x_train[idx])
            _, z1 = model(v1)
            _, z2 = model(v2)
            loss = nt_xent(z1, z2, args.temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if epoch % 4 == 0:
            print(f"Train Epoch: [{epoch}/{args.epochs}] Loss: {np.mean(losses):.4f}")

    print(f"linear probe accuracy: {linear_probe(model, x_train, y_train, x_test, y_test):.4f}")


if __name__ == "__main__":
    main()
