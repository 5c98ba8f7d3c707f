"""Character-level language model on a generated chronicle, nanoGPT style."""
import math
import time

import numpy as np
import torch

from model import GPT, GPTConfig

# run settings
seed = 1337
eval_seed = 4242
batch_size = 12
block_size = 64
max_iters = 500
eval_interval = 20
eval_iters = 4
learning_rate = 3e-3
min_lr = 2e-4
warmup_iters = 40
grad_clip = 1.0


def chronicle(n_sentences, rng):
    onset = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "th", "sh"]
    vowel = ["a", "e", "i", "o", "u", "ai", "ou"]
    word = lambda k: "".join(rng.choice(onset) + rng.choice(vowel) for _ in range(k))
    names = [word(3).capitalize() for _ in range(60)]
    places = [word(2) + "burg" for _ in range(40)]
    verbs = [word(2) + "ed" for _ in range(50)]
    things = [word(rng.integers(2, 4)) for _ in range(90)]
    home = {n: places[rng.integers(len(places))] for n in names}
    habit = {n: rng.choice(verbs, 3) for n in names}
    goods = {v: rng.choice(things, 4) for v in verbs}
    lines = []
    for _ in range(n_sentences):
        n = names[rng.integers(len(names))]
        v = habit[n][rng.integers(3)]
        line = f"{n} of {home[n]} {v} the {goods[v][rng.integers(4)]}"
        if rng.random() < 0.4:
            line += f" and the {goods[v][rng.integers(4)]}"
        lines.append(line + ".")
    return "\n".join(lines)


rng = np.random.default_rng(seed)
text = chronicle(9000, rng)
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
cut = int(0.9 * len(data))
splits = {"train": data[:cut], "val": data[cut:]}
print(f"{len(text)} characters, vocabulary {len(chars)}")


def get_batch(split, generator=None):
    d = splits[split]
    ix = torch.randint(len(d) - block_size, (batch_size,), generator=generator)
    x = torch.stack([d[i:i + block_size] for i in ix])
    y = torch.stack([d[i + 1:i + 1 + block_size] for i in ix])
    return x, y


@torch.no_grad()
def estimate_loss(model):
    """Mean loss on the same few batches every time, so that points on the curve can be compared."""
    out = {}
    model.eval()
    for split in ("train", "val"):
        gen = torch.manual_seed(eval_seed)
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            x, y = get_batch(split, gen)
            losses[k] = model(x, y)[1]
        out[split] = losses.mean().item()
    model.train()
    return out


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


torch.manual_seed(seed)
model = GPT(GPTConfig(vocab_size=len(chars), block_size=block_size))
print(f"{sum(p.numel() for p in model.parameters()) / 1e3:.1f}k parameters")
decay = [p for p in model.parameters() if p.dim() >= 2]
rest = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
                              lr=learning_rate, betas=(0.9, 0.99))

t0 = time.time()
for it in range(max_iters):
    if it % eval_interval == 0:
        losses = estimate_loss(model)
        if it % 100 == 0:
            print(f"iter {it} train {losses['train']:.4f} val {losses['val']:.4f} ({time.time() - t0:.1f}s)", flush=True)
    for group in optimizer.param_groups:
        group["lr"] = get_lr(it)
    x, y = get_batch("train")
    _, loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()

eval_iters = 40
losses = estimate_loss(model)
print(f"final val loss {losses['val']:.4f} train {losses['train']:.4f}")
