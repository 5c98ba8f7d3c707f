"""Train a small GPT-2 from scratch on short recipe-like command strings with the HF Trainer."""
import math
import random

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(11)

VERBS = ["chop", "boil", "fry", "mix", "bake", "peel", "grill", "whisk"]
ITEMS = ["onion", "carrot", "egg", "flour", "butter", "potato", "leek", "rice", "tofu", "bean"]
TOOLS = ["pan", "pot", "bowl", "oven"]
TOOL_OF = {"chop": "bowl", "boil": "pot", "fry": "pan", "mix": "bowl", "bake": "oven", "peel": "bowl", "grill": "pan", "whisk": "bowl"}


def make_line(rng):
    steps = []
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        v = rng.choice(VERBS)
        steps.append(f"{v} {rng.randint(1, 9)} {rng.choice(ITEMS)} in {TOOL_OF[v]}")
    return "; ".join(steps) + "."


class CharTokenizer:
    def __init__(self, texts):
        chars = sorted(set("".join(texts)))
        self.pad_token_id, self.bos_token_id, self.eos_token_id = 0, 1, 2
        self.stoi = {c: i + 3 for i, c in enumerate(chars)}

    def __len__(self):
        return len(self.stoi) + 3

    def encode(self, s, max_length):
        ids = [self.bos_token_id] + [self.stoi[c] for c in s] + [self.eos_token_id]
        ids = ids[:max_length]
        mask = [1] * len(ids) + [0] * (max_length - len(ids))
        ids = ids + [self.pad_token_id] * (max_length - len(ids))
        return ids, mask


class LineDataset(Dataset):
    def __init__(self, lines, tok, max_length=80):
        enc = [tok.encode(s, max_length) for s in lines]
        self.input_ids = torch.tensor([e[0] for e in enc])
        self.attention_mask = torch.tensor([e[1] for e in enc])

    def __len__(self):
        return len(self.input_ids)

    def __getitem__(self, i):
        labels = self.input_ids[i].clone()
        return {"input_ids": self.input_ids[i], "attention_mask": self.attention_mask[i], "labels": labels}


def main():
    rng = random.Random(3)
    lines = [make_line(rng) for _ in range(2200)]
    tok = CharTokenizer(lines)
    train_ds, eval_ds = LineDataset(lines[:2000], tok), LineDataset(lines[2000:], tok)

    config = GPT2Config(
        vocab_size=len(tok), n_positions=80, n_embd=48, n_layer=2, n_head=4,
        bos_token_id=tok.bos_token_id, eos_token_id=tok.eos_token_id, pad_token_id=tok.pad_token_id,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )
    model = GPT2LMHeadModel(config)

    args = TrainingArguments(
        output_dir="out", num_train_epochs=2, per_device_train_batch_size=16, per_device_eval_batch_size=50,
        learning_rate=2e-3, warmup_steps=30, lr_scheduler_type="cosine", weight_decay=0.01,
        eval_strategy="epoch", logging_steps=50, save_strategy="no", report_to=[], disable_tqdm=True,
        use_cpu=True, seed=11,
    )
    trainer = Trainer(model=model, args=args, train_dataset=train_ds, eval_dataset=eval_ds)
    trainer.train()
    res = trainer.evaluate()
    print(f"eval loss {res['eval_loss']:.4f}  perplexity {math.exp(res['eval_loss']):.3f}")


if __name__ == "__main__":
    main()
