"""Random Fourier features (never trained) with a linear head trained by sharpness-aware SGD: two backwards per update."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits


class FourierFeatures(nn.Module):
    def __init__(self, d_in, d_out, scale):
        super().__init__()
        self.proj = nn.Linear(d_in, d_out)
        nn.init.normal_(self.proj.weight, std=scale)
        nn.init.uniform_(self.proj.bias, 0, 6.2832)
        self.norm = nn.BatchNorm1d(d_out, affine=False)

    def forward(self, x):
        return self.norm(self.proj(x).cos())


class SAM:
    def __init__(self, params, base, rho=0.05, **kw):
        self.params = list(params)
        self.opt = base(self.params, **kw)
        self.rho = rho

    def step(self, closure):
        loss = closure()
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in self.params]).norm() + 1e-12
            bumps = [p.grad * (self.rho / norm) for p in self.params]
            for p, e in zip(self.params, bumps):
                p.add_(e)
        closure()
        with torch.no_grad():
            for p, e in zip(self.params, bumps):
                p.sub_(e)
        self.opt.step()
        return loss


def main():
    torch.manual_seed(0)
    X, y = load_digits(return_X_y=True)
    perm = torch.randperm(len(X))
    X = torch.tensor(X / 16.0, dtype=torch.float32)[perm]
    y = torch.tensor(y)[perm]
    Xtr, ytr, Xte, yte = X[:1300], y[:1300], X[1300:], y[1300:]

    features = FourierFeatures(64, 1000, scale=0.35).requires_grad_(False)
    features.norm.momentum = None
    with torch.no_grad():
        features(Xtr)
    features.eval()
    head = nn.Linear(1000, 10)
    nn.init.zeros_(head.weight)
    nn.init.zeros_(head.bias)
    sam = SAM(head.parameters(), torch.optim.SGD, rho=0.05, lr=0.02, momentum=0.9, weight_decay=1e-3)
    criterion = nn.NLLLoss()

    for epoch in range(1, 31):
        total, n = 0.0, 0
        for start in range(0, len(Xtr), 20):
            xb, yb = Xtr[start:start + 20], ytr[start:start + 20]

            def closure():
                head.zero_grad()
                loss = criterion(head(features(xb)).log_softmax(-1), yb)
                loss.backward()
                return loss.item()

            total += sam.step(closure)
            n += 1
        if epoch % 3 == 0:
            with torch.no_grad():
                acc = (head(features(Xte)).argmax(1) == yte).float().mean().item()
            print(f"epoch {epoch:2d} loss {total / n:.4f} test acc {acc:.4f}")


if __name__ == "__main__":
    main()
