"""Linear probing of a pretrained encoder: the backbone stays fixed, also its batch-norm statistics."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
digits = load_digits()
X = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
Y = torch.tensor(digits.target)
order = torch.randperm(len(X))
pre, ft, test = order[:900], order[900:1300], order[1300:]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
                               nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten())

    def forward(self, x):
        return self.f(x)


def pretrain(encoder, epochs=6):
    """Pretext task: which of four rotations was applied."""
    head = nn.Linear(32 * 16, 4)
    opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=2e-3)
    for ep in range(epochs):
        for idx in pre[torch.randperm(len(pre))].split(32):
            k = torch.randint(4, (len(idx),))
            x = torch.stack([torch.rot90(X[i], int(r), (1, 2)) for i, r in zip(idx, k)])
            loss = F.cross_entropy(head(encoder(x)), k)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"pretext epoch {ep} loss {loss.item():.3f}")


encoder = Encoder()
pretrain(encoder)

encoder.requires_grad_(False)
encoder.eval()
probe = nn.Linear(32 * 16, 10)
opt = torch.optim.Adam(probe.parameters(), lr=3e-3, weight_decay=1e-4)
for ep in range(25):
    for idx in ft[torch.randperm(len(ft))].split(32):
        with torch.no_grad():
            z = encoder(X[idx])
        loss = F.cross_entropy(probe(z), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if ep % 6 == 0:
        print(f"probe epoch {ep} loss {loss.item():.3f}")
with torch.no_grad():
    acc = (probe(encoder(X[test])).argmax(1) == Y[test]).float().mean()
print(f"linear probe test accuracy {acc:.3f}")
