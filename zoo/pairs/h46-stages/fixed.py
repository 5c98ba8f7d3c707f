"""Three stages on the digits: denoising pre-training, linear probe on few labels, full fine-tuning with an EMA."""
import copy

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def encoder():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())


def pretrain(x, epochs=15):
    enc, dec = encoder(), nn.Linear(64, 64)
    params = [*enc.parameters(), *dec.parameters()]
    optimizer = torch.optim.Adam(params, lr=2e-3)
    loader = DataLoader(TensorDataset(x), batch_size=64, shuffle=True)
    for epoch in range(epochs):
        total = 0.0
        for (clean,) in loader:
            noisy = clean * (torch.rand_like(clean) > 0.3)
            loss = nn.functional.mse_loss(dec(enc(noisy)), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if (epoch + 1) % 5 == 0:
            print(f"[pretrain] epoch {epoch + 1} mse {total / len(loader):.4f}")
    return {f"encoder.{k}": v.clone() for k, v in enc.state_dict().items()}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = encoder()
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.encoder(x))


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def fit(model, loader, optimizer, epochs, tag, x_val, y_val, ema=None, decay=0.98):
    best, best_state = 0.0, copy.deepcopy(model.state_dict())
    judged = ema if ema is not None else model
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if ema is not None:
                with torch.no_grad():
                    for a, b in zip(ema.parameters(), model.parameters()):
                        a.lerp_(b, 1 - decay)
            total += loss.item()
        acc = accuracy(judged, x_val, y_val)
        if acc > best:
            best, best_state = acc, copy.deepcopy(judged.state_dict())
        if (epoch + 1) % 5 == 0:
            print(f"[{tag}] epoch {epoch + 1} loss {total / len(loader):.4f} val acc {acc:.4f}")
    judged.load_state_dict(best_state)
    return judged


def main():
    torch.manual_seed(0)
    x, y = load_digits(return_X_y=True)
    x, y = torch.tensor(x / 16.0, dtype=torch.float32), torch.tensor(y)
    x_pool, x_test, y_pool, y_test = train_test_split(x, y, test_size=400, stratify=y, random_state=0)
    x_rest, x_val, y_rest, y_val = train_test_split(x_pool, y_pool, test_size=250, stratify=y_pool, random_state=0)
    x_lab, _, y_lab, _ = train_test_split(x_rest, y_rest, train_size=500, stratify=y_rest, random_state=0)

    weights = pretrain(x_rest)
    model = Classifier()
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert set(missing) == {"head.weight", "head.bias"} and not unexpected

    loader = DataLoader(TensorDataset(x_lab, y_lab), batch_size=32, shuffle=True)
    model.encoder.requires_grad_(False)
    model = fit(model, loader, torch.optim.Adam(model.head.parameters(), lr=1e-2), 20, "probe", x_val, y_val)
    print(f"probe test accuracy {accuracy(model, x_test, y_test):.4f}")

    model.encoder.requires_grad_(True)
    optimizer = torch.optim.Adam([{"params": model.encoder.parameters(), "lr": 1e-3},
                                  {"params": model.head.parameters(), "lr": 2e-3}], weight_decay=1e-5)
    ema = copy.deepcopy(model).requires_grad_(False)
    final = fit(model, loader, optimizer, 30, "fine-tune", x_val, y_val, ema=ema)
    print(f"fine-tuned (EMA) test accuracy {accuracy(final, x_test, y_test):.4f}")


if __name__ == "__main__":
    main()
