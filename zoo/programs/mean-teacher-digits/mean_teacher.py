# coding: utf-8

# In[1]:
import copy
import itertools
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


# In[2]:
torch.manual_seed(0)
LABELS_PER_CLASS = 10
RAMPUP = 200
MAX_WEIGHT = 3.0
EMA_DECAY = 0.97
STEPS = 400

data = load_digits()
X = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1) / 8.0 - 1.0
Y = torch.tensor(data.target)
perm = torch.randperm(len(X), generator=torch.Generator().manual_seed(5))  # same split every time
test_idx, pool_idx = perm[:500], perm[500:]

labeled, unlabeled = [], []
for c in range(10):
    members = pool_idx[Y[pool_idx] == c]
    labeled.append(members[:LABELS_PER_CLASS])
    unlabeled.append(members[LABELS_PER_CLASS:])
labeled, unlabeled = torch.cat(labeled), torch.cat(unlabeled)
print(len(labeled), "labelled,", len(unlabeled), "unlabelled,", len(test_idx), "test images")


# In[3]:
def augment(x):
    # one-pixel translation for about half of the images, gaussian noise for all
    n = x.shape[0]
    moves = torch.rand(n, 1) < 0.5
    shift = torch.randint(-1, 2, (n, 2)).float() * moves * (2.0 / 8)
    theta = torch.eye(2, 3).repeat(n, 1, 1)
    theta[:, :, 2] = shift
    grid = F.affine_grid(theta, list(x.shape), align_corners=False)
    moved = F.grid_sample(x + 1, grid, mode="nearest", padding_mode="zeros", align_corners=False) - 1
    return moved + 0.15 * torch.randn_like(moved)


def cycle(loader):
    for _ in itertools.count():
        yield from loader


labeled_loader = DataLoader(TensorDataset(X[labeled], Y[labeled]), batch_size=20, shuffle=True, drop_last=True)
unlabeled_loader = DataLoader(TensorDataset(X[unlabeled]), batch_size=60, shuffle=True, drop_last=True)


# In[4]:
student = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Dropout(0.3), nn.Linear(128, 10),
)
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)

optimizer = torch.optim.Adam(student.parameters(), lr=4e-3)


def consistency_weight(step):
    phase = 1.0 - min(step, RAMPUP) / RAMPUP
    return MAX_WEIGHT * math.exp(-5.0 * phase * phase)


def test_acc(net):
    net.eval()
    with torch.no_grad():
        return (net(X[test_idx]).argmax(1) == Y[test_idx]).float().mean().item()


# In[5]:
lab_it, unlab_it = cycle(labeled_loader), cycle(unlabeled_loader)
for step in range(STEPS):
    student.train()
    teacher.train()  # dropout noise on the target side as well
    xl, yl = next(lab_it)
    (xu,) = next(unlab_it)

    sup = F.cross_entropy(student(augment(xl)), yl)
    with torch.no_grad():
        target = teacher(augment(xu)).softmax(1)
    cons = F.mse_loss(student(augment(xu)).softmax(1), target, reduction="sum") / len(xu)
    loss = sup + consistency_weight(step) * cons

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    decay = min(EMA_DECAY, 1 - 1 / (step + 2))
    with torch.no_grad():
        for tp, sp in zip(teacher.parameters(), student.parameters()):
            tp.mul_(decay).add_(sp, alpha=1 - decay)

    if (step + 1) % 80 == 0:
        print(f"step {step + 1}: sup {sup.item():.3f} cons {cons.item():.4f} w {consistency_weight(step):.2f}")


# In[6]:
print("student test acc %.4f" % test_acc(student))
print("teacher test acc %.4f" % test_acc(teacher))
