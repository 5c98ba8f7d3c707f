"""Small-data risk model (binary outcome, log loss) with early stopping on a validation set."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Settings:
    n_train: int = 150
    n_val: int = 300
    n_test: int = 2000
    features: int = 30
    width: int = 256
    lr: float = 2e-3
    batch: int = 15
    max_epochs: int = 150
    patience: int = 140
    seed: int = 31


def draw(n, cfg, gen, w):
    x = torch.randn(n, cfg.features, generator=gen)
    z = 1.5 * (x[:, :5] @ w) + 0.5 * x[:, 0] * x[:, 1]
    return x, (torch.rand(n, generator=gen) < z.sigmoid()).float()


class EarlyStopping:
    """Keeps the best weights seen so far and says when to stop."""

    def __init__(self, patience):
        self.patience, self.best, self.weights, self.count, self.epoch = patience, float("inf"), None, 0, -1

    def update(self, value, model, epoch):
        if value < self.best:
            self.best, self.count, self.epoch = value, 0, epoch
            self.weights = model.state_dict()
        else:
            self.count += 1
        return self.count >= self.patience

    def restore(self, model):
        model.load_state_dict(self.weights)
        return model


class RiskNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cfg.features, cfg.width), nn.ReLU(),
                                 nn.Linear(cfg.width, cfg.width), nn.ReLU(), nn.Linear(cfg.width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


@torch.no_grad()
def log_loss(model, x, y):
    model.eval()
    return nn.functional.binary_cross_entropy_with_logits(model(x), y).item()


def main(cfg):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    w = torch.tensor([1.0, -0.8, 0.6, 0.5, -0.4])
    train, val, test = (draw(n, cfg, gen, w) for n in (cfg.n_train, cfg.n_val, cfg.n_test))
    model = RiskNet(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    stopper = EarlyStopping(cfg.patience)
    for epoch in range(cfg.max_epochs):
        model.train()
        for idx in torch.randperm(cfg.n_train).split(cfg.batch):
            loss = nn.functional.binary_cross_entropy_with_logits(model(train[0][idx]), train[1][idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        v = log_loss(model, *val)
        if epoch % 20 == 0:
            print(f"epoch {epoch:3d} train {log_loss(model, *train):.3f} val {v:.3f}")
        if stopper.update(v, model, epoch):
            break
    model = stopper.restore(model)
    print(f"restored epoch {stopper.epoch} with val {stopper.best:.3f}")
    print(f"test log loss of the restored model: {log_loss(model, *test):.3f}")


if __name__ == "__main__":
    main(Settings())
