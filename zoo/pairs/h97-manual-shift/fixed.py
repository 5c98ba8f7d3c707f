"""Character model of a small formal language. The model is our own and does NOT shift, so we do."""
import random

import torch
from torch import nn
from torch.nn import functional as F

BOS, EOS, PAD = 0, 1, 2
SYMBOLS = "()[]{}<>"
STOI = {c: i + 3 for i, c in enumerate(SYMBOLS)}
CLOSE = {STOI["("]: STOI[")"], STOI["["]: STOI["]"], STOI["{"]: STOI["}"], STOI["<"]: STOI[">"]}
OPEN = list(CLOSE)


def dyck(rng, max_len=24):
    seq, stack = [BOS], []
    while True:
        left = max_len - len(seq) - len(stack)
        if not stack:
            if len(seq) > 4 and rng.random() < 0.4 or left < 3:
                break
            tok = rng.choice(OPEN)
            stack.append(tok)
            seq.append(tok)
        elif left > 2 and len(stack) < 6 and rng.random() < 0.5:
            tok = rng.choice(OPEN)
            stack.append(tok)
            seq.append(tok)
        else:
            seq.append(CLOSE[stack.pop()])
    return seq + [EOS]


def batchify(rows):
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), PAD)
    for i, r in enumerate(rows):
        ids[i, : len(r)] = torch.tensor(r)
    return ids


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        # right padding: real tokens never look at pads under the causal mask
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.n2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, d=48, layers=2, heads=4, max_len=64):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(0.02 * torch.randn(max_len, d))
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.tok.weight
        nn.init.normal_(self.tok.weight, std=0.05)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[: ids.shape[1]]
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x))


@torch.no_grad()
def closing_accuracy(model, rows):
    """how often the most likely closing bracket is the right one, where a bracket is closed"""
    model.eval()
    ids = batchify(rows)
    logits = model(ids[:, :-1])
    gold = ids[:, 1:]
    closers = torch.tensor(sorted(CLOSE.values()))
    where = torch.isin(gold, closers)
    guess = closers[logits[..., closers].argmax(-1)]
    return (guess == gold)[where].float().mean().item()


def main():
    torch.manual_seed(11)
    rng = random.Random(11)
    train = [dyck(rng) for _ in range(5000)]
    test = [dyck(rng) for _ in range(500)]
    model = CharLM(vocab=3 + len(SYMBOLS))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01)
    steps_per_epoch = (len(train) + 63) // 64
    epochs = 6
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min((s + 1) / 60, max(0.05, 1 - s / (epochs * steps_per_epoch))))
    for epoch in range(epochs):
        model.train()
        rng.shuffle(train)
        total = 0.0
        for i in range(0, len(train), 64):
            ids = batchify(train[i:i + 64])
            inputs, labels = ids[:, :-1], ids[:, 1:]
            logits = model(inputs)
            loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), labels.reshape(-1), ignore_index=PAD)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / steps_per_epoch:.4f} closing accuracy {closing_accuracy(model, test):.4f}")
    print(f"closing accuracy: {closing_accuracy(model, test):.4f}")


if __name__ == "__main__":
    main()
