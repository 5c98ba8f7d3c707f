# %% [markdown]
# # word2vec from scratch
# Skip-gram with negative sampling on a toy corpus. Words come from ten themes; a sentence mostly stays in
# one theme, plus function words that appear everywhere.

# %%
from collections import Counter

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 3
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

# %% corpus
N_THEMES, WORDS_PER_THEME = 10, 24
themes = [[f"t{k}w{j}" for j in range(WORDS_PER_THEME)] for k in range(N_THEMES)]
function_words = [f"fn{j}" for j in range(15)]
zipf = 1.0 / np.arange(1, WORDS_PER_THEME + 1) ** 0.7
zipf /= zipf.sum()


def make_sentence():
    k = rng.integers(N_THEMES)
    length = rng.integers(8, 16)
    words = []
    for _ in range(length):
        u = rng.random()
        if u < 0.35:
            words.append(function_words[rng.integers(len(function_words))])
        elif u < 0.66:
            words.append(themes[rng.integers(N_THEMES)][rng.choice(WORDS_PER_THEME, p=zipf)])
        else:
            words.append(themes[k][rng.choice(WORDS_PER_THEME, p=zipf)])
    return words


sentences = [make_sentence() for _ in range(1800)]
print(sentences[0])

# %% vocabulary, subsampling of frequent words
counts = Counter(w for s in sentences for w in s)
itos = [w for w, _ in counts.most_common()]
stoi = {w: i for i, w in enumerate(itos)}
freq = np.array([counts[w] for w in itos], dtype=np.float64)
freq /= freq.sum()
keep_prob = np.minimum(1.0, np.sqrt(4e-3 / freq))

WINDOW = 4
centers, contexts = [], []
for s in sentences:
    ids = [stoi[w] for w in s]
    ids = [i for i in ids if rng.random() < keep_prob[i]]
    for pos, c in enumerate(ids):
        span = rng.integers(1, WINDOW + 1)
        for q in range(max(0, pos - span), min(len(ids), pos + span + 1)):
            if q != pos:
                centers.append(c)
                contexts.append(ids[q])
centers = torch.tensor(centers)
contexts = torch.tensor(contexts)
print(len(centers), "training pairs,", len(itos), "words")

# %% noise distribution ~ unigram^(3/4)
noise = torch.tensor(freq**0.75, dtype=torch.float)
noise /= noise.sum()


# %%
class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.in_embed = nn.Embedding(vocab_size, dim)
        self.out_embed = nn.Embedding(vocab_size, dim)
        nn.init.uniform_(self.in_embed.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.out_embed.weight)

    def forward(self, center, context, negatives):
        v = self.in_embed(center)  # B, D
        u = self.out_embed(context)  # B, D
        n = self.out_embed(negatives)  # B, K, D
        pos = F.logsigmoid((u * v).sum(1))
        neg = F.logsigmoid(-torch.bmm(n, v.unsqueeze(2)).squeeze(2)).sum(1)
        return -(pos + neg).mean()


# %%
K, BATCH, EPOCHS = 5, 512, 6
model = SkipGram(len(itos), 20)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

step = 0
for epoch in range(EPOCHS):
    order = torch.randperm(len(centers))
    running = []
    for idx in order.split(BATCH):
        negatives = torch.multinomial(noise, len(idx) * K, replacement=True).view(len(idx), K)
        loss = model(centers[idx], contexts[idx], negatives)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running.append(loss.item())
        step += 1
    print(f"epoch {epoch + 1}: loss {np.mean(running):.4f} ({step} steps)")

# %% do the five nearest neighbours belong to the same theme?
emb = F.normalize(model.in_embed.weight.detach(), dim=1)
theme_of = torch.tensor([-1 if w.startswith("fn") else int(w[1 : w.index("w")]) for w in itos])
sim = emb @ emb.T
sim.fill_diagonal_(-2)
nearest = sim.topk(5, dim=1).indices
content = theme_of >= 0
same = (theme_of[nearest] == theme_of[:, None])[content].float()
for w in ["t0w0", "t4w2", "t9w10"]:
    print(w, "->", [itos[j] for j in nearest[stoi[w]]])
print("neighbour accuracy@5: %.3f" % same.mean().item())
