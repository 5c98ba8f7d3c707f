"""Long-context toy: the intent of a session is set by its first events, then come many unrelated ones."""
import torch
import torch.nn.functional as F
from torch import nn

SEQ_LEN, N_EVENTS, N_INTENTS = 64, 24, 8


def sessions(n, gen):
    x = torch.randint(N_INTENTS, N_EVENTS, (n, SEQ_LEN), generator=gen)
    y = torch.randint(0, N_INTENTS, (n,), generator=gen)
    lead = torch.rand(n, 12, generator=gen) < 0.5
    x[:, :12] = torch.where(lead, y[:, None], x[:, :12])
    return x, y


class GatedRecurrence(nn.Module):
    """Diagonal recurrence h_t = a * h_{t-1} + sqrt(1 - a^2) * u_t with one learnt decay per channel."""

    def __init__(self, dim):
        super().__init__()
        self.inp = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.decay = nn.Parameter(torch.linspace(0.0, 6.0, dim))

    def forward(self, x):
        a = torch.sigmoid(self.decay)
        u = (1 - a ** 2).sqrt() * self.inp(x)
        h = torch.zeros_like(u[:, 0])
        states = []
        for u_t in u.unbind(1):
            h = a * h + u_t
            states.append(h)
        return self.out(torch.stack(states, 1) * torch.sigmoid(self.gate(x)))


class SessionModel(nn.Module):
    def __init__(self, dim=48, layers=2):
        super().__init__()
        self.embed = nn.Embedding(N_EVENTS, dim)
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(layers))
        self.mixers = nn.ModuleList(GatedRecurrence(dim) for _ in range(layers))
        self.final = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, N_INTENTS)

    def forward(self, x):
        h = self.embed(x)
        for norm, mix in zip(self.norms, self.mixers):
            h = h + mix(norm(h))
        return self.head(self.final(h[:, -1]))


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        acc = (model(x).argmax(-1) == y).float().mean().item()
    model.train()
    return acc


def main(steps=400, batch=32, lr=3e-3):
    torch.manual_seed(1)
    gen = torch.Generator().manual_seed(1)
    val_x, val_y = sessions(500, gen)
    model = SessionModel()
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.0)
    warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 40))
    avg = None
    for step in range(1, steps + 1):
        x, y = sessions(batch, gen)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        warm.step()
        avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
        if step % 50 == 0:
            print(f"step {step:4d}  loss {avg:.3f}  val acc {accuracy(model, val_x, val_y):.3f}")


if __name__ == "__main__":
    main()
