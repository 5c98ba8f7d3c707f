# Digits labelled by careless annotators. The confusion of the annotators is known from an audit,
# so the class probabilities are pushed through it before the likelihood (forward correction).
# %%
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

rng = np.random.default_rng(70)
torch.manual_seed(70)

# %% data
digits = load_digits()
x = torch.tensor(digits.data / 8.0 - 1.0, dtype=torch.float32).view(-1, 1, 8, 8)
truth = digits.target
perm = rng.permutation(len(truth))
train_idx, test_idx = perm[:1350], perm[1350:]

# %% annotators: about 70 % right, the rest spread over two look-alikes and everything else
CONFUSED = {0: (6, 8), 1: (7, 4), 2: (7, 3), 3: (8, 5), 4: (9, 1), 5: (3, 6), 6: (0, 8), 7: (1, 2), 8: (3, 0), 9: (4, 8)}
transition = np.full((10, 10), 0.08 / 10)
for k, (a, b) in CONFUSED.items():
    transition[k, k] += 0.70
    transition[k, a] += 0.13
    transition[k, b] += 0.09
transition /= transition.sum(1, keepdims=True)
observed = np.array([rng.choice(10, p=transition[t]) for t in truth])
print(f"share of wrong training labels {np.mean(observed[train_idx] != truth[train_idx]):.3f}")
floor = -(transition * np.log(transition)).sum(1).mean()
print(f"conditional entropy of the labels {floor:.4f} nats")

T = torch.tensor(transition, dtype=torch.float32)
y = torch.tensor(observed)
y_true = torch.tensor(truth)

# %% model
net = nn.Sequential(
    nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
    nn.Conv2d(24, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(32, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Dropout(0.4), nn.Linear(48 * 4, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, weight_decay=5e-3)
EPOCHS, BATCH = 16, 64
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)


def corrected_nll(logits, labels):
    p = torch.softmax(logits, dim=1) @ T
    return -torch.log(p.gather(1, labels[:, None]).clamp_min(1e-8)).mean()


@torch.no_grad()
def evaluate():
    net.eval()
    pred = net(x[test_idx]).argmax(1)
    net.train()
    clean = (pred == y_true[test_idx]).float().mean().item()
    noisy = (pred == y[test_idx]).float().mean().item()
    return clean, noisy


# %% fit
train_idx = torch.tensor(train_idx)
for epoch in range(EPOCHS):
    losses = []
    for part in train_idx[torch.randperm(len(train_idx))].split(BATCH):
        loss = corrected_nll(net(x[part]), y[part])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    sched.step()
    if epoch % 2 == 1:
        clean, noisy = evaluate()
        print(f"epoch {epoch:2d} loss {np.mean(losses):.4f} accuracy vs truth {clean:.4f} vs annotators {noisy:.4f}", flush=True)

# %%
clean, noisy = evaluate()
print(f"final test accuracy {clean:.4f} against verified labels")
