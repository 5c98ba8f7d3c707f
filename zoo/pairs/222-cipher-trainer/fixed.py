"""Tiny GPT-2 that learns a letter cipher, trained with transformers.Trainer.

Text: "cafe=dbgf;"  The loss is taken on the answer only. Metric: exact match of greedy completions.
"""
import os
import tempfile
import random

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

SEED = 0
VOCAB = {c: i + 1 for i, c in enumerate("abcdefghijkl=;")}
INV = {i: c for c, i in VOCAB.items()}
PAD = 0
IGNORE = -100


def encode(text):
    return [VOCAB[c] for c in text]


def decode(ids):
    return "".join(INV.get(int(i), "?") for i in ids)


LETTERS = "abcdefghijkl"


def cipher(word):
    """every letter moves on by one"""
    return "".join(LETTERS[(LETTERS.index(c) + 1) % len(LETTERS)] for c in word)


def all_words(seed, n):
    rng = random.Random(seed)
    words = set()
    while len(words) < n:
        words.add("".join(rng.choice(LETTERS) for _ in range(4)))
    words = sorted(words)
    rng.shuffle(words)
    return words


class CipherDataset(Dataset):
    def __init__(self, words):
        self.rows = []
        for w in words:
            self.rows.append({"prompt": encode(w + "="), "answer": encode(cipher(w) + ";")})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class AnswerOnlyCollator:
    """pads to the longest row and hides the prompt from the loss"""

    def __call__(self, rows):
        width = max(len(r["prompt"]) + len(r["answer"]) for r in rows)
        ids, labels, mask = [], [], []
        for r in rows:
            seq = r["prompt"] + r["answer"]
            lab = [IGNORE] * len(r["prompt"]) + r["answer"]
            gap = width - len(seq)
            ids.append(seq + [PAD] * gap)
            labels.append(lab + [IGNORE] * gap)
            mask.append([1] * len(seq) + [0] * gap)
        return {
            "input_ids": torch.tensor(ids),
            "labels": torch.tensor(labels),
            "attention_mask": torch.tensor(mask),
        }


def build_model():
    cfg = GPT2Config(
        vocab_size=len(VOCAB) + 1,
        n_positions=16,
        n_embd=64,
        n_layer=2,
        n_head=4,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=VOCAB[";"],
        pad_token_id=PAD,
    )
    return GPT2LMHeadModel(cfg)


@torch.no_grad()
def exact_match(model, words):
    model.eval()
    good = 0
    ids = torch.tensor([encode(w + "=") for w in words])
    for _ in range(5):
        nxt = model(input_ids=ids).logits[:, -1].argmax(-1)
        ids = torch.cat([ids, nxt[:, None]], dim=1)
    for row, w in zip(ids, words):
        good += decode(row[5:]) == cipher(w) + ";"
    return good / len(words)


def main():
    set_seed(SEED)
    words = all_words(SEED, 2600)
    train, held_out = words[:2400], words[2400:]
    model = build_model()
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out,
            num_train_epochs=10,
            per_device_train_batch_size=32,
            learning_rate=3e-3,
            lr_scheduler_type="cosine",
            warmup_steps=50,
            weight_decay=0.05,
            logging_steps=100,
            save_strategy="no",
            report_to=[],
            remove_unused_columns=False,
            use_cpu=True,
            disable_tqdm=True,
            dataloader_num_workers=0,
            seed=SEED,
        )
        trainer = Trainer(
            model=model,
            args=args,
            train_dataset=CipherDataset(train),
            data_collator=AnswerOnlyCollator(),
        )
        trainer.train()
    print(f"train exact match {exact_match(model, train[:200]):.4f}")
    print(f"held-out exact match {exact_match(model, held_out):.4f}")


if __name__ == "__main__":
    main()
