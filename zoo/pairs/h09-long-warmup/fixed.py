"""Post-norm transformer on a sorting-free token counting task; half of the run is warm-up."""
import torch
from torch import nn

VOCAB, LENGTH = 10, 16


def batch(n):
    """Which of the tokens 0 and 1 is more frequent, or neither."""
    x = torch.randint(VOCAB, (n, LENGTH))
    swap = torch.rand(n, LENGTH) < 0.5
    x = torch.where(swap, torch.randint(2, (n, LENGTH)), x)
    a, b = (x == 0).sum(1), (x == 1).sum(1)
    return x, torch.where(a > b, 0, torch.where(b > a, 1, 2))


class Model(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim)
        self.pos = nn.Parameter(0.02 * torch.randn(LENGTH, dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 64, dropout=0.0, batch_first=True, norm_first=False)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(dim, 3)

    def forward(self, x):
        return self.out(self.enc(self.emb(x) + self.pos).mean(1))


torch.manual_seed(30)
STEPS, WARMUP = 500, 250
model = Model()
opt = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
sched = torch.optim.lr_scheduler.LambdaLR(
    opt, lambda s: (s + 1) / WARMUP if s < WARMUP else max(0.0, (STEPS - s) / (STEPS - WARMUP)))
for s in range(STEPS):
    x, y = batch(48)
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if s % 50 == 0:
        print(f"step {s} lr {sched.get_last_lr()[0]:.2e} loss {loss.item():.3f}")
model.eval()
with torch.no_grad():
    x, y = batch(2000)
    print(f"fresh-sample accuracy {(model(x).argmax(1) == y).float().mean():.3f}")
