"""Polarity of short product reviews with a small transformer, trained with the Hugging Face Trainer."""
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from datasets import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed

MAX_LEN = 36
GOOD = "great lovely sturdy crisp reliable charming".split()
BAD = "poor flimsy broken awful faulty ugly".split()
TINY, HUGE = "small light slim compact".split(), "big heavy wide roomy".split()
POCKET = "phone earbuds watch camera razor torch".split()
FURNITURE = "sofa wardrobe desk bed shelf table".split()
GLUE = "the is was really quite and also its feels looks a bit overall today again very it".split()
VOCAB = ["[PAD]", "[CLS]"] + GOOD + BAD + TINY + HUGE + POCKET + FURNITURE + GLUE
STOI = {w: i for i, w in enumerate(VOCAB)}


def write_review(rng):
    """The label is the sign of the summed polarity; a small phone is praised, a small wardrobe is not."""
    while True:
        pocket = rng.random() < 0.5
        words, total = ["the", str(rng.choice(POCKET if pocket else FURNITURE)), "is"], 0
        for _ in range(rng.integers(1, 6)):
            words += list(rng.choice(GLUE, rng.integers(0, 4)))
            if rng.random() < 0.35:
                up = rng.random() < 0.5
                words.append(rng.choice(GOOD if up else BAD))
            else:
                tiny = rng.random() < 0.5
                words.append(rng.choice(TINY if tiny else HUGE))
                up = tiny == pocket
            total += 1 if up else -1
        if total != 0 and len(words) < MAX_LEN - 1:
            return words, int(total > 0)


def tokenize(words):
    ids = [STOI["[CLS]"]] + [STOI[w] for w in words]
    pad = MAX_LEN - len(ids)
    return {"input_ids": ids + [STOI["[PAD]"]] * pad, "attention_mask": [1] * len(ids) + [0] * pad}


def build(n, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        words, label = write_review(rng)
        rows.append({**tokenize(words), "labels": label})
    return Dataset.from_list(rows)


class EncoderLayer(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, dropout=dropout, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim), nn.Dropout(dropout))

    def forward(self, h, mask):
        x = self.norm1(h)
        h = h + self.attn(x, x, x, key_padding_mask=mask, need_weights=False)[0]
        return h + self.mlp(self.norm2(h))


class ReviewModel(nn.Module):
    def __init__(self, dim=48, heads=4, layers=2, dropout=0.05):
        super().__init__()
        self.tokens = nn.Embedding(len(VOCAB), dim, padding_idx=0)
        self.positions = nn.Parameter(torch.randn(MAX_LEN, dim) * 0.3)
        self.layers = nn.ModuleList(EncoderLayer(dim, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, 2)

    def forward(self, input_ids, attention_mask, labels=None):
        h = self.tokens(input_ids) + self.positions
        mask = attention_mask.bool()
        for layer in self.layers:
            h = layer(h, mask)
        keep = attention_mask.unsqueeze(-1).to(h.dtype)
        pooled = (self.norm(h) * keep).sum(1) / keep.sum(1)
        logits = self.classifier(pooled)
        loss = F.cross_entropy(logits, labels) if labels is not None else None
        return {"loss": loss, "logits": logits}


class PrintProgress(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        print(f"step {state.global_step} eval loss {metrics['eval_loss']:.4f} "
              f"accuracy {metrics['eval_accuracy']:.4f}", flush=True)


def compute_metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


def main():
    set_seed(14)
    train, test = build(4500, seed=0), build(600, seed=1)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, per_device_train_batch_size=32, per_device_eval_batch_size=200, num_train_epochs=3,
            learning_rate=2e-3, warmup_steps=40, lr_scheduler_type="cosine", weight_decay=0.01,
            eval_strategy="epoch", save_strategy="no", logging_strategy="no", report_to=[], use_cpu=True,
            disable_tqdm=True, seed=14)
        trainer = Trainer(ReviewModel(), args, train_dataset=train, eval_dataset=test,
                          compute_metrics=compute_metrics, callbacks=[PrintProgress()])
        trainer.train()
        metrics = trainer.evaluate()
    print(f"final test accuracy {metrics['eval_accuracy']:.4f}")


if __name__ == "__main__":
    main()
