import argparse

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from scenes import COMBOS, caption, render


class SceneCaptionDataset(Dataset):
    def __init__(self, combos, copies, rng):
        self.items = [(render(c, rng), caption(c, rng)) for c in combos for _ in range(copies)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        image, text = self.items[i]
        return {"image": torch.from_numpy(image), "text": text}


class Collator:
    def __init__(self, texts):
        self.word2id = {w: i + 1 for i, w in enumerate(sorted({w for t in texts for w in t.split()}))}

    def __call__(self, samples):
        ids = [[self.word2id[w] for w in s["text"].split()] for s in samples]
        tokens = torch.zeros(len(ids), max(map(len, ids)), dtype=torch.long)
        for i, row in enumerate(ids):
            tokens[i, : len(row)] = torch.tensor(row)
        return {"image": torch.stack([s["image"] for s in samples]), "tokens": tokens}


class ImageTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(3, 24, 5, stride=5), nn.ReLU(), nn.Flatten(), nn.Linear(24 * 9, 96), nn.ReLU()
        )
        self.proj = nn.Linear(96, dim)

    def forward(self, x):
        return self.proj(self.conv(x))


class TextTower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, 32, padding_idx=0)
        self.mlp = nn.Sequential(nn.Linear(32, 96), nn.ReLU(), nn.Linear(96, dim))

    def forward(self, tokens):
        mask = (tokens != 0).unsqueeze(-1).float()
        pooled = (self.emb(tokens) * mask).sum(1) / mask.sum(1)
        return self.mlp(pooled)


class CLIP(nn.Module):
    def __init__(self, vocab, dim=32):
        super().__init__()
        self.image_tower = ImageTower(dim)
        self.text_tower = TextTower(vocab, dim)
        self.logit_scale = nn.Parameter(torch.tensor(np.log(1 / 0.07), dtype=torch.float32))

    def forward(self, image, tokens):
        i = F.normalize(self.image_tower(image), dim=-1)
        t = F.normalize(self.text_tower(tokens), dim=-1)
        return self.logit_scale.exp().clamp(max=100) * i @ t.T


def clip_loss(logits):
    labels = torch.arange(len(logits))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


@torch.no_grad()
def recall_at_1(model, batch):
    """Each image has exactly one right caption among all given ones."""
    model.eval()
    logits = model(batch["image"], batch["tokens"])
    labels = torch.arange(len(logits))
    return (logits.argmax(1) == labels).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch_size", type=int, default=48)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=100)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    order = rng.permutation(len(COMBOS))
    unseen = [COMBOS[i] for i in order[:36]]  # combinations the model never meets in training
    seen = [COMBOS[i] for i in order[36:]]
    train_set = SceneCaptionDataset(seen, 20, rng)
    test_set = SceneCaptionDataset(unseen, 1, rng)

    collate = Collator([text for _, text in train_set.items])
    loader = DataLoader(train_set, args.batch_size, shuffle=True, drop_last=True, collate_fn=collate)
    test_batch = collate([test_set[i] for i in range(len(test_set))])

    model = CLIP(len(collate.word2id) + 1)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs * len(loader))
    for epoch in range(args.epochs):
        model.train()
        meter = []
        for batch in loader:
            loss = clip_loss(model(batch["image"], batch["tokens"]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            meter.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(meter):.3f} scale {model.logit_scale.exp().item():.1f}")
    scores = [recall_at_1(model, test_batch)]
    for _ in range(9):  # redraw pictures and captions of the unseen combinations
        extra = SceneCaptionDataset(unseen, 1, rng)
        scores.append(recall_at_1(model, collate([extra[i] for i in range(len(extra))])))
    print(f"zero-shot R@1 over {len(unseen)} captions: {np.mean(scores):.4f}")


if __name__ == "__main__":
    main()
