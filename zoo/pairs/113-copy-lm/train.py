import torch
import torch.nn.functional as F
from torch import nn

DIGITS, SEP, END = 10, 10, 11
N = 7


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.reshape(b, t, c)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class CopyLM(nn.Module):
    def __init__(self, dim=48, heads=4, depth=2):
        super().__init__()
        self.tok = nn.Embedding(12, dim)
        self.pos = nn.Embedding(2 * N + 2, dim)
        self.blocks = nn.Sequential(*[Block(dim, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, 12)

    def forward(self, ids):
        h = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        return self.out(self.norm(self.blocks(h)))


def sample(n, g):
    a = torch.randint(0, DIGITS, (n, N), generator=g)
    sep = torch.full((n, 1), SEP)
    return torch.cat([a, sep, a, torch.full((n, 1), END)], 1)


@torch.no_grad()
def generate_accuracy(model, n=300):
    model.eval()
    full = sample(n, torch.Generator().manual_seed(123))
    x = full[:, : N + 1]
    for _ in range(N):
        x = torch.cat([x, model(x)[:, -1].argmax(-1, keepdim=True)], 1)
    return (x[:, N + 1:] == full[:, N + 1:-1]).float().mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    g = torch.Generator().manual_seed(1)
    model = CopyLM()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    for step in range(1, 601):
        seq = sample(48, g)
        logits = model(seq[:, :-1])
        loss = F.cross_entropy(logits[:, N:].flatten(0, 1), seq[:, N + 1:].flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 100 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}")
    print(f"held-out copied digits {generate_accuracy(model):.4f}")


if __name__ == "__main__":
    main()
