# In[1]:
import math
import numpy as np
import torch
from torch import nn
from sklearn import datasets

torch.manual_seed(10)
np.random.seed(torch.initial_seed())

# In[2]:
def pinwheel(n, arms=5, radial_std=0.3, tangential_std=0.1, rate=0.25):
    rads = np.linspace(0, 2 * np.pi, arms, endpoint=False)
    feats = np.random.randn(n, 2) * np.array([radial_std, tangential_std])
    feats[:, 0] += 1.0
    labels = np.random.randint(0, arms, n)
    angles = rads[labels] + rate * np.exp(feats[:, 0])
    rot = np.stack([np.cos(angles), -np.sin(angles), np.sin(angles), np.cos(angles)], 1).reshape(-1, 2, 2)
    return np.einsum("ti,tij->tj", feats, rot)

def moons(n):
    return datasets.make_moons(n, noise=0.08, random_state=np.random.randint(1 << 30))[0]

# half pinwheel, half moons shifted to the right
def toy(n):
    which = np.random.rand(n) < 0.5
    return np.where(which[:, None], pinwheel(n), moons(n) + [3.0, 0.0])

x_train, x_val, x_test = toy(4000), toy(1000), toy(2000)
mu, sd = x_train.mean(0), x_train.std(0)
x_train, x_val, x_test = [torch.tensor((x - mu) / sd, dtype=torch.float32) for x in (x_train, x_val, x_test)]
x_train.shape, x_test.shape

# In[3]:
class Coupling(nn.Module):
    def __init__(self, mask, hidden=48):
        super().__init__()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 4))
        # start as the identity
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def params(self, xm):
        s, t = self.net(xm).chunk(2, dim=1)
        s = torch.tanh(s) * 1.5 * (1 - self.mask)
        return s, t * (1 - self.mask)

    def forward(self, x):
        s, t = self.params(x * self.mask)
        return x * torch.exp(s) + t, s.sum(1)

    def inverse(self, z):
        s, t = self.params(z * self.mask)
        return (z - t) * torch.exp(-s)

class RealNVP(nn.Module):
    def __init__(self, n_layers=6):
        super().__init__()
        masks = [torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])]
        self.layers = nn.ModuleList([Coupling(masks[i % 2]) for i in range(n_layers)])

    def log_prob(self, x):
        logdet = torch.zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        log_base = -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi)
        return log_base + logdet

    def sample(self, n):
        z = torch.randn(n, 2)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z

# In[4]:
flow = RealNVP()
optimizer = torch.optim.Adam(flow.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [7, 9], gamma=0.3)
history = []

for epoch in range(11):
    flow.train()
    for batch in torch.randperm(len(x_train)).split(125):
        loss = -flow.log_prob(x_train[batch]).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 2.0)
        optimizer.step()
    scheduler.step()
    flow.eval()
    with torch.no_grad():
        history.append(-flow.log_prob(x_val).mean().item())
    print(epoch, "val nll", round(history[-1], 4))

# In[5]:
with torch.no_grad():
    s = flow.sample(2000)
    # the flow has to be invertible
    print("sample mean", s.mean(0).tolist(), "std", s.std(0).tolist())
    print("test nll:", -flow.log_prob(x_test).mean().item())
