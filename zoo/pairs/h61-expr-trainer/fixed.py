"""Masked-symbol model on generated bracket expressions, trained through the HF Trainer."""
import argparse
import random
import tempfile

import torch
import torch.nn.functional as F
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForMaskedLM, Trainer, TrainingArguments,
                          set_seed)

SYMBOLS = ["<pad>", "<mask>"] + list("()[]{}") + list("0123456789") + list("+=")
PAD, MASK = 0, 1
ID = {s: i for i, s in enumerate(SYMBOLS)}
CLOSE = {"(": ")", "[": "]", "{": "}"}


def expression(rng):
    """Nested brackets around a digit run that counts up modulo ten."""
    depth = rng.randint(2, 4)
    opened = [rng.choice("([{") for _ in range(depth)]
    start, k = rng.randint(0, 9), rng.randint(3, 8)
    digits = [str((start + i) % 10) for i in range(k)]
    return opened + digits + [CLOSE[c] for c in reversed(opened)]


class Expressions(Dataset):
    def __init__(self, n, seed, banned=frozenset()):
        rng = random.Random(seed)
        self.rows = []
        while len(self.rows) < n:
            text = "".join(expression(rng))
            if text not in banned:
                self.rows.append(text)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": [ID[c] for c in self.rows[i]]}


class MaskingCollator:
    def __init__(self, rate, seed):
        self.rate = rate
        self.gen = torch.Generator().manual_seed(seed)

    def __call__(self, rows):
        width = max(len(r["input_ids"]) for r in rows)
        ids = torch.full((len(rows), width), PAD)
        for i, r in enumerate(rows):
            ids[i, :len(r["input_ids"])] = torch.tensor(r["input_ids"])
        real = ids != PAD
        pick = (torch.rand(ids.shape, generator=self.gen) < self.rate) & real
        pick[:, 0] |= ~pick.any(1)
        labels = ids.masked_fill(~pick, -100)
        return {"input_ids": ids.masked_fill(pick, MASK), "attention_mask": real.long(),
                "labels": labels}


class SmoothedTrainer(Trainer):
    """Label smoothing plus a z-loss that keeps the log-partition near zero."""

    def __init__(self, *a, smoothing=0.05, z_weight=1e-3, **kw):
        super().__init__(*a, **kw)
        self.smoothing = smoothing
        self.z_weight = z_weight

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        out = model(**inputs)
        sel = labels != -100
        logits, target = out.logits[sel], labels[sel]
        smooth = self.smoothing if model.training else 0.0
        loss = F.cross_entropy(logits, target, label_smoothing=smooth, reduction="sum")
        loss = loss + self.z_weight * torch.logsumexp(logits, -1).pow(2).sum()
        loss = loss / (num_items_in_batch if num_items_in_batch is not None else sel.sum())
        return (loss, {"logits": out.logits}) if return_outputs else loss


@torch.no_grad()
def masked_accuracy(model, rows, collator):
    model.eval()
    ok = n = 0
    for s in range(0, len(rows), 100):
        b = collator([rows[i] for i in range(s, min(s + 100, len(rows)))])
        pred = model(input_ids=b["input_ids"], attention_mask=b["attention_mask"]).logits.argmax(-1)
        sel = b["labels"] != -100
        ok += (pred[sel] == b["labels"][sel]).sum().item()
        n += sel.sum().item()
    return ok / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=500)
    args = ap.parse_args()
    torch.set_num_threads(1)
    set_seed(args.seed)
    test = Expressions(500, args.seed + 1)
    train = Expressions(8000, args.seed + 2, banned=frozenset(test.rows))
    config = BertConfig(vocab_size=len(SYMBOLS), hidden_size=64, num_hidden_layers=2,
                        num_attention_heads=4, intermediate_size=128,
                        max_position_embeddings=32, hidden_dropout_prob=0.0,
                        attention_probs_dropout_prob=0.0, pad_token_id=PAD,
                        tie_word_embeddings=True, initializer_range=0.1)
    model = BertForMaskedLM(config)
    print("tied", model.get_input_embeddings().weight is model.get_output_embeddings().weight)
    with tempfile.TemporaryDirectory() as tmp:
        trainer = SmoothedTrainer(
            model=model, train_dataset=train, data_collator=MaskingCollator(0.2, args.seed),
            args=TrainingArguments(
                output_dir=tmp, max_steps=args.steps, per_device_train_batch_size=32,
                gradient_accumulation_steps=2, gradient_checkpointing=True,
                gradient_checkpointing_kwargs={"use_reentrant": False},
                learning_rate=2e-3, warmup_steps=60, lr_scheduler_type="linear",
                max_grad_norm=1.0, logging_steps=50, save_strategy="no", report_to="none",
                disable_tqdm=True, use_cpu=True, seed=args.seed))
        trainer.train()
    acc = masked_accuracy(model, test, MaskingCollator(0.2, args.seed + 3))
    print(f"test masked accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
