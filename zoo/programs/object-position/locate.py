import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE = 24
rng = np.random.default_rng(3)
torch.manual_seed(3)


def make_scene():
    """One bright target blob, two dimmer distractors, clutter noise. Target centre in pixels."""
    yy, xx = np.mgrid[:SIZE, :SIZE]
    img = rng.normal(0, 0.12, (SIZE, SIZE))
    for _ in range(2):
        y, x = rng.uniform(2, SIZE - 3, 2)
        img += 0.4 * np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / (2 * 1.5**2))
    y, x = rng.uniform(3, SIZE - 4, 2)
    img += 1.2 * np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / (2 * 1.8**2))
    return img, (x, y)


def make_set(n):
    imgs, pos = zip(*[make_scene() for _ in range(n)])
    x = torch.tensor(np.stack(imgs), dtype=torch.float32).unsqueeze(1)
    y = torch.tensor(pos, dtype=torch.float32)
    return x, y


def to_unit(p):
    return 2 * p / (SIZE - 1) - 1


def to_pixels(u):
    return (u + 1) * (SIZE - 1) / 2


class Localizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 12, 5, stride=2, padding=2)
        self.c2 = nn.Conv2d(12, 24, 3, stride=2, padding=1)
        self.c3 = nn.Conv2d(24, 24, 3, padding=1)
        self.fc = nn.Linear(24 * 6 * 6, 64)
        self.out = nn.Linear(64, 2)

    def forward(self, x):
        x = F.leaky_relu(self.c1(x), 0.1)
        x = F.leaky_relu(self.c2(x), 0.1)
        x = F.leaky_relu(self.c3(x), 0.1)
        x = F.leaky_relu(self.fc(x.flatten(1)), 0.1)
        return self.out(x)


def pixel_error(model, x, y):
    model.eval()
    with torch.no_grad():
        pred = to_pixels(model(x))
    model.train()
    return (pred - y).norm(dim=1).mean().item()


x_train, y_train = make_set(2000)
x_val, y_val = make_set(300)
x_test, y_test = make_set(500)
print('centre guess error: %.2f px' % (y_test - y_train.mean(0)).norm(dim=1).mean().item())

model = Localizer()
opt = torch.optim.Adam(model.parameters(), lr=1.5e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.4, patience=1)
BS = 40
for epoch in range(12):
    order = torch.randperm(len(x_train))
    ep_loss = 0.0
    for start in range(0, len(order), BS):
        idx = order[start:start + BS]
        pred = model(x_train[idx])
        loss = F.smooth_l1_loss(pred, to_unit(y_train[idx]), beta=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ep_loss += loss.item() * len(idx)
    err = pixel_error(model, x_val, y_val)
    plateau.step(err)
    print(f'epoch {epoch:02d} loss {ep_loss / len(order):.5f} val err {err:.3f} px  lr {opt.param_groups[0]["lr"]:.1e}')

print(f'mean test error: {pixel_error(model, x_test, y_test):.3f} px')
