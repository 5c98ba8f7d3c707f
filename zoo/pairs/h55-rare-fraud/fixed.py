"""Rare-event scoring (about 1.5 % positive). Batches are drawn half/half, and the logits are moved back to the
natural prior for evaluation. Missing values stay as a flag plus zero; amounts go through a signed log."""
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, log_loss
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def table(n, rng, w):
    x = rng.normal(0, 1, (n, 8))
    amount = np.sinh(rng.normal(0, 2.5, n)) * 100
    score = x @ w + 0.9 * x[:, 0] * x[:, 1] + 0.8 * (np.abs(amount) > 900) - 5.9
    y = (rng.random(n) < 1 / (1 + np.exp(-1.5 * score))).astype(np.float32)
    x[rng.random(x.shape) < 0.08] = np.nan
    return np.column_stack([x, amount]), y


def encode(raw):
    x, amount = raw[:, :8], raw[:, 8:]
    missing = np.isnan(x)
    squeezed = np.sign(amount) * np.log1p(np.abs(amount)) / 4
    return torch.tensor(np.hstack([np.nan_to_num(x), missing, squeezed, np.abs(squeezed)]), dtype=torch.float32)


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    w = rng.normal(0, 1.1, 8)
    raw, y = table(24000, rng, w)
    cut = 16000
    xtr, xte = encode(raw[:cut]), encode(raw[cut:])
    ytr, yte = torch.tensor(y[:cut]), y[cut:]
    prior = ytr.mean().item()
    print(f"prevalence: train {prior:.4f} test {yte.mean():.4f}")

    weights = torch.where(ytr == 1, 0.5 / prior, 0.5 / (1 - prior))
    loader = DataLoader(TensorDataset(xtr, ytr), batch_size=128,
                        sampler=WeightedRandomSampler(weights, 128 * 60, replacement=True))
    model = nn.Sequential(nn.Linear(xtr.shape[1], 48), nn.SiLU(), nn.Dropout(0.3), nn.Linear(48, 24), nn.SiLU(), nn.Linear(24, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.3)
    shift = float(np.log(prior / (1 - prior)))

    def test_probabilities():
        model.eval()
        with torch.no_grad():
            p = torch.sigmoid(model(xte).squeeze(1) + shift).numpy()
        model.train()
        return p

    for epoch in range(10):
        total = 0.0
        for xb, yb in loader:
            loss = F.binary_cross_entropy_with_logits(model(xb).squeeze(1), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        if epoch % 3 == 0:
            print(f"epoch {epoch} loss {total / len(loader):.4f} test ap {average_precision_score(yte, test_probabilities()):.3f}")
    p = test_probabilities()
    constant = log_loss(yte, np.full_like(yte, prior, dtype=float))
    print(f"held-out average precision {average_precision_score(yte, p):.3f} (chance {yte.mean():.3f}), "
          f"log loss {log_loss(yte, p.astype(float)):.4f} (constant {constant:.4f})")


if __name__ == "__main__":
    main()
