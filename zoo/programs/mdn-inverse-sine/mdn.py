# Mixture density network for the inverse problem x -> y with x = y + 0.3 sin(2 pi y) + noise
import math
import torch
import torch.nn as nn

torch.manual_seed(1)

K = 4
HIDDEN = 40
STEPS = 1500

def generate(n):
    y = torch.rand(n, 1)
    x = y + 0.3 * torch.sin(2 * math.pi * y) + 0.05 * (2 * torch.rand(n, 1) - 1)
    return x, y

x_train, y_train = generate(1500)
x_test, y_test = generate(1000)
# both axes to zero mean and unit variance, with training statistics
xm, xs = x_train.mean(), x_train.std()
ym, ys = y_train.mean(), y_train.std()
x_train, x_test = (x_train - xm) / xs, (x_test - xm) / xs
y_train, y_test = (y_train - ym) / ys, (y_test - ym) / ys

class MDN(nn.Module):
    def __init__(self):
        super().__init__()
        self.z_h = nn.Sequential(nn.Linear(1, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.Tanh())
        self.z_pi = nn.Linear(HIDDEN, K)
        self.z_mu = nn.Linear(HIDDEN, K)
        self.z_sigma = nn.Linear(HIDDEN, K)

    def forward(self, x):
        h = self.z_h(x)
        log_pi = torch.log_softmax(self.z_pi(h), dim=-1)
        log_sigma = self.z_sigma(h).clamp(-4, 3)
        return log_pi, self.z_mu(h), log_sigma

def mdn_loss(log_pi, mu, log_sigma, y):
    log_n = -0.5 * ((y - mu) / log_sigma.exp()) ** 2 - log_sigma - 0.5 * math.log(2 * math.pi)
    return -torch.logsumexp(log_pi + log_n, dim=-1).mean()

mdn = MDN()
# spread the component means a little
nn.init.uniform_(mdn.z_mu.bias, -1.5, 1.5)
opt = torch.optim.Adam(mdn.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9985)

for i in range(STEPS):
    pick = torch.randint(0, len(x_train), (100,))
    loss = mdn_loss(*mdn(x_train[pick]), y_train[pick])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(mdn.parameters(), 5.0)
    opt.step()
    sched.step()
    if i % 250 == 0:
        with torch.no_grad():
            val = mdn_loss(*mdn(x_test), y_test)
        print(i, 'train', round(loss.item(), 3), 'test', round(val.item(), 3))

with torch.no_grad():
    single = 0.5 * math.log(2 * math.pi) + 0.5 * (y_test ** 2).mean().item()
    print('one gaussian, ignoring x:', round(single, 3))
    print('final test NLL', mdn_loss(*mdn(x_test), y_test).item())
