# Pump flow regression: a short coarse run, a checkpoint, then a longer second stage resumed from it.
import argparse
import os
import tempfile

import numpy as np
import torch
from sklearn.metrics import mean_absolute_error, r2_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def pump_records(n, rng):
    rpm = rng.uniform(600, 3000, n)
    head = rng.uniform(5, 60, n)
    valve = rng.uniform(0.1, 1.0, n)
    temp = rng.normal(40, 12, n)
    wear = rng.beta(2, 5, n)
    visc = np.exp(-0.02 * (temp - 40)) * rng.lognormal(0, 0.05, n)
    extra = rng.normal(0, 1, (n, 3))
    lift = (rpm / 1000) ** 2 * 9 - head
    flow = 12 * valve * np.sqrt(np.maximum(lift, 0)) * (1 - 0.5 * wear) / visc ** 0.3
    flow += 6 * np.sin(rpm / 150) * valve + rng.normal(0, 0.5, n)
    x = np.column_stack([rpm, head, valve, temp, wear, visc, extra])
    return x, flow


class FlowNet(nn.Module):
    def __init__(self, inputs, width, depth):
        super().__init__()
        layers = [nn.Linear(inputs, width), nn.SiLU()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.SiLU()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, model_cfg, lr, folder):
        self.model_cfg = model_cfg
        self.lr = lr
        self.folder = folder
        self.model = FlowNet(**model_cfg)
        self.opt = self._optimizer()
        self.epoch = 0

    def _optimizer(self):
        return torch.optim.AdamW(self.model.parameters(), lr=self.lr, weight_decay=1e-4)

    def set_lr(self, lr):
        self.lr = lr
        for group in self.opt.param_groups:
            group["lr"] = lr

    def save(self, tag):
        path = os.path.join(self.folder, tag + ".pt")
        torch.save({"model_cfg": self.model_cfg, "model": self.model.state_dict(),
                    "opt": self.opt.state_dict(), "epoch": self.epoch, "lr": self.lr}, path)
        return path

    def load(self, path):
        state = torch.load(path)
        self.model_cfg, self.lr, self.epoch = state["model_cfg"], state["lr"], state["epoch"]
        self.model = FlowNet(**self.model_cfg)
        self.model.load_state_dict(state["model"])
        self.opt.load_state_dict(state["opt"])

    def fit(self, train, valid, epochs, stage):
        best, best_path = float("inf"), None
        for _ in range(epochs):
            self.model.train()
            total = 0.0
            for x, y in train:
                loss = nn.functional.mse_loss(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() * len(x)
            self.epoch += 1
            val = self.loss(valid)
            if val < best:
                best, best_path = val, self.save(stage)
            if self.epoch % 5 == 0:
                print(f"[{stage}] epoch {self.epoch:3d} train {total / len(train.dataset):.4f} valid {val:.4f}")
        return best_path

    @torch.no_grad()
    def loss(self, loader):
        self.model.eval()
        return sum(nn.functional.mse_loss(self.model(x), y, reduction="sum").item() for x, y in loader) / len(loader.dataset)

    @torch.no_grad()
    def predict(self, x):
        self.model.eval()
        return self.model(x).squeeze(1).numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--coarse-epochs", type=int, default=2)
    ap.add_argument("--fine-epochs", type=int, default=45)
    args = ap.parse_args()
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)

    x, y = pump_records(6000, rng)
    cut_a, cut_b = 4000, 4800
    mx, sx = x[:cut_a].mean(0), x[:cut_a].std(0)
    my, sy = y[:cut_a].mean(), y[:cut_a].std()
    xs = torch.tensor((x - mx) / sx, dtype=torch.float32)
    ys = torch.tensor((y - my) / sy, dtype=torch.float32).unsqueeze(1)
    train = DataLoader(TensorDataset(xs[:cut_a], ys[:cut_a]), batch_size=64, shuffle=True)
    valid = DataLoader(TensorDataset(xs[cut_a:cut_b], ys[cut_a:cut_b]), batch_size=400)

    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer({"inputs": x.shape[1], "width": 64, "depth": 3}, lr=1e-3, folder=folder)
        coarse = trainer.fit(train, valid, args.coarse_epochs, "coarse")
        trainer.load(coarse)
        print(f"resuming from epoch {trainer.epoch}, valid {trainer.loss(valid):.4f}")
        trainer.fit(train, valid, args.fine_epochs - 15, "fine")
        trainer.set_lr(2e-4)
        fine = trainer.fit(train, valid, 15, "settle")
        trainer.load(fine)
        pred = trainer.predict(xs[cut_b:]) * sy + my
    print(f"test mae={mean_absolute_error(y[cut_b:], pred):.4f} r2={r2_score(y[cut_b:], pred):.4f}")


if __name__ == "__main__":
    main()
