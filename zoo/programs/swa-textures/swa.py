# %% [markdown]
# # Stochastic weight averaging on oriented textures
# Eight classes of noisy gratings (four orientations x two frequencies).

# %%
import numpy as np
import torch
from torch import nn, optim
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

SEED = 2024
np.random.seed(SEED)
torch.manual_seed(SEED)

# %% data
def make_gratings(n, size=16):
    yy, xx = np.mgrid[0:size, 0:size] / size
    labels = np.random.randint(0, 8, size=n)
    theta = (labels % 4) * np.pi / 4
    freq = np.where(labels < 4, 2.0, 3.5)
    phase = np.random.uniform(0, 2 * np.pi, size=n)
    arg = np.cos(theta)[:, None, None] * xx + np.sin(theta)[:, None, None] * yy
    imgs = np.sin(2 * np.pi * freq[:, None, None] * arg + phase[:, None, None])
    imgs += np.random.normal(0, 2.6, imgs.shape)
    return torch.from_numpy(imgs).float().unsqueeze(1), torch.from_numpy(labels)

train_x, train_y = make_gratings(1000)
test_x, test_y = make_gratings(800)
mu, sigma = train_x.mean(), train_x.std()
train_x = (train_x - mu) / sigma
test_x = (test_x - mu) / sigma

train_dl = DataLoader(TensorDataset(train_x, train_y), batch_size=25, shuffle=True)
test_dl = DataLoader(TensorDataset(test_x, test_y), batch_size=200)

# %% model
net = nn.Sequential(
    nn.Conv2d(1, 16, 5, stride=2, padding=2, bias=False),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.Conv2d(16, 24, 3, padding=1, bias=False),
    nn.BatchNorm2d(24),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(24, 8),
)

def test(m):
    m.eval()
    correct = 0
    with torch.no_grad():
        for xb, yb in test_dl:
            correct += m(xb).argmax(1).eq(yb).sum().item()
    return correct / len(test_dl.dataset)

# %% training
EPOCHS, SWA_START = 10, 5
loss_fn = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=SWA_START * 2)
swa_net = AveragedModel(net)
swa_scheduler = SWALR(optimizer, swa_lr=0.04, anneal_epochs=2)

for epoch in range(EPOCHS):
    net.train()
    epoch_loss = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(xb)
    if epoch >= SWA_START:
        swa_net.update_parameters(net)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(f"epoch {epoch}: loss {epoch_loss / len(train_x):.4f} lr {optimizer.param_groups[0]['lr']:.4f}")

# %% batch statistics of the averaged weights, then compare
update_bn(train_dl, swa_net)
print(f"last iterate acc: {test(net):.4f}")
print(f"SWA acc: {test(swa_net):.4f}")
