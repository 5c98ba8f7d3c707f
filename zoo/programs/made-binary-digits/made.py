import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class MaskedLinear(nn.Linear):
    """Linear layer whose weight is multiplied with a fixed 0/1 mask."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features, bias)
        self.register_buffer("mask", torch.ones(out_features, in_features))

    def set_mask(self, mask):
        self.mask.copy_(mask)

    def forward(self, x):
        return F.linear(x, self.mask * self.weight, self.bias)


class MADE(nn.Module):
    def __init__(self, n_in, hidden_sizes, rng):
        super().__init__()
        self.n_in = n_in
        sizes = [n_in] + list(hidden_sizes) + [n_in]
        degrees = [np.arange(n_in)]
        for h in hidden_sizes:
            low = int(degrees[-1].min())
            degrees.append(rng.integers(low, n_in - 1, size=h))
        layers = []
        for k, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            layer = MaskedLinear(a, b)
            last = k == len(sizes) - 2
            out_degree = degrees[0] if last else degrees[k + 1]
            if last:
                mask = degrees[k][None, :] < out_degree[:, None]
            else:
                mask = degrees[k][None, :] <= out_degree[:, None]
            layer.set_mask(torch.from_numpy(mask.astype(np.float32)))
            layers += [layer] if last else [layer, nn.ReLU()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)

    def nll(self, x):
        return F.binary_cross_entropy_with_logits(self(x), x, reduction="none").sum(dim=1)


def check_autoregressive(model):
    # output i must not depend on inputs >= i
    x = torch.rand(1, model.n_in, requires_grad=True)
    for i in (0, 5, model.n_in - 1):
        (grad,) = torch.autograd.grad(model(x)[0, i], x)
        assert grad[0, i:].abs().sum() == 0


def run_epoch(model, x, batch_size, opt=None):
    training = opt is not None
    model.train(training)
    order = torch.randperm(len(x)) if training else torch.arange(len(x))
    total = 0.0
    with torch.set_grad_enabled(training):
        for idx in order.split(batch_size):
            xb = x[idx]
            nll = model.nll(xb)
            if training:
                opt.zero_grad()
                nll.mean().backward()
                opt.step()
            total += nll.sum().item()
    return total / len(x)


def main():
    seed = 42
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)

    images = load_digits().data / 16.0
    images = (images > 0.5).astype(np.float32)
    images = images[rng.permutation(len(images))]
    xtr, xva, xte = (torch.from_numpy(a) for a in np.split(images, [1200, 1450]))

    p = xtr.mean(0).clamp(1e-3, 1 - 1e-3)
    base = -(xte * p.log() + (1 - xte) * (1 - p).log()).sum(1).mean()
    print(f"independent pixels: {base:.2f} nats")

    model = MADE(64, [160, 160], rng)
    check_autoregressive(model)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)

    best, best_state, bad = float("inf"), None, 0
    for epoch in range(40):
        tr = run_epoch(model, xtr, 50, opt)
        va = run_epoch(model, xva, 250)
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d}  train {tr:.3f}  valid {va:.3f}")
        if va < best - 1e-3:
            best, bad = va, 0
            best_state = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            bad += 1
            if bad == 4:
                print("early stop at epoch", epoch)
                break
    model.load_state_dict(best_state)
    print(f"test NLL {run_epoch(model, xte, 250):.3f} nats")


if __name__ == "__main__":
    main()
