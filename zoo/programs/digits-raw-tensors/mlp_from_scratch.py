# A two-hidden-layer perceptron on the 8x8 digits, written with plain tensors.
# No nn.Module, no torch.optim: parameters are leaf tensors and are updated by hand.
import math
import torch
from sklearn.datasets import load_digits

g = torch.Generator().manual_seed(2147483647)

digits = load_digits()
X = torch.tensor(digits.data, dtype=torch.float32)
Y = torch.tensor(digits.target)

# shuffle once and split 70/10/20
perm = torch.randperm(X.shape[0], generator=g)
X, Y = X[perm], Y[perm]
n1 = int(0.7 * len(X))
n2 = int(0.8 * len(X))
Xtr, Ytr = X[:n1], Y[:n1]
Xdev, Ydev = X[n1:n2], Y[n1:n2]
Xte, Yte = X[n2:], Y[n2:]

mu = Xtr.mean(0, keepdim=True)
sd = Xtr.std(0, keepdim=True).clamp(min=1.0)
Xtr, Xdev, Xte = [(t - mu) / sd for t in (Xtr, Xdev, Xte)]

n_in, n_h1, n_h2, n_out = 64, 64, 32, 10
gain = 5 / 3
W1 = torch.randn((n_in, n_h1), generator=g) * gain / math.sqrt(n_in)
b1 = torch.zeros(n_h1)
W2 = torch.randn((n_h1, n_h2), generator=g) * gain / math.sqrt(n_h1)
b2 = torch.zeros(n_h2)
W3 = torch.randn((n_h2, n_out), generator=g) * 0.1
b3 = torch.zeros(n_out)
parameters = [W1, b1, W2, b2, W3, b3]
for p in parameters:
    p.requires_grad_(True)
print(sum(p.nelement() for p in parameters), 'parameters')


def forward(x):
    h1 = torch.tanh(x @ W1 + b1)
    h2 = torch.tanh(h1 @ W2 + b2)
    return h2 @ W3 + b3


def nll(logits, y):
    logp = logits - logits.logsumexp(dim=1, keepdim=True)
    return -logp[torch.arange(len(y)), y].mean()


max_steps = 2500
batch_size = 32
lossi = []

for i in range(max_steps):
    # minibatch
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]

    # forward
    loss = nll(forward(Xb), Yb) + 1e-4 * sum((W**2).sum() for W in (W1, W2, W3))

    # backward
    for p in parameters:
        p.grad = None
    loss.backward()

    # update with step decay
    lr = 0.1 if i < 1800 else 0.02
    with torch.no_grad():
        for p in parameters:
            p -= lr * p.grad

    lossi.append(loss.item())
    if i % 500 == 0:
        print(f'{i:5d}/{max_steps:5d}: {loss.item():.4f}')

print('mean loss over the last 200 steps', sum(lossi[-200:]) / 200)


@torch.no_grad()
def split_report(name):
    x, y = {'train': (Xtr, Ytr), 'dev': (Xdev, Ydev), 'test': (Xte, Yte)}[name]
    logits = forward(x)
    acc = (logits.argmax(1) == y).float().mean().item()
    print(f'{name:>5s}  loss {nll(logits, y).item():.4f}  acc {acc:.4f}')


for s in ('train', 'dev', 'test'):
    split_report(s)
