"""Causal LM on generated recipes ("start step step ... end") with padded batches, perplexity and rollout check."""
import math
import random

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

PAD, BOS, EOS = 0, 1, 2
FIRST, N_STATES = 3, 30


def successor_table(seed=0):
    rng = random.Random(seed)
    return {s: rng.sample(range(N_STATES), 2) for s in range(N_STATES)}


TABLE = successor_table()


def recipe(rng):
    state = rng.randrange(N_STATES)
    out = [state]
    for _ in range(rng.randint(5, 18)):
        state = rng.choice(TABLE[state])
        out.append(state)
    return [BOS] + [FIRST + s for s in out] + [EOS]


class Recipes(Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.rows = [recipe(rng) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i]}


def collate(features):
    width = max(len(f["input_ids"]) for f in features)
    input_ids = torch.tensor([f["input_ids"] + [PAD] * (width - len(f["input_ids"])) for f in features])
    attention_mask = (input_ids != PAD).long()
    labels = input_ids.clone()
    labels[attention_mask == 0] = -100
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


def preprocess_logits(logits, labels):
    return logits.argmax(-1)


def compute_metrics(pred):
    guess, gold = pred.predictions[:, :-1], pred.label_ids[:, 1:]
    prev = pred.label_ids[:, :-1]
    keep = (gold >= FIRST) & (prev >= FIRST) & (guess >= FIRST)
    legal = [g - FIRST in TABLE[p - FIRST] for g, p in zip(guess[keep], prev[keep])]
    return {"legal_next": sum(legal) / max(1, len(legal))}


@torch.no_grad()
def rollout_legality(model, n=100, steps=10):
    model.eval()
    ids = torch.full((n, 1), BOS)
    for _ in range(steps):
        probs = model(input_ids=ids).logits[:, -1].softmax(-1)
        probs[:, [PAD, BOS, EOS]] = 0
        ids = torch.cat([ids, torch.multinomial(probs, 1)], dim=1)
    rows = (ids[:, 1:] - FIRST).tolist()
    moves = [(a, b) for row in rows for a, b in zip(row, row[1:])]
    return sum(b in TABLE[a] for a, b in moves) / len(moves)


def main():
    set_seed(0)
    train_set, eval_set = Recipes(3000, 1), Recipes(300, 2)
    config = GPT2Config(vocab_size=FIRST + N_STATES, n_positions=32, n_embd=48, n_layer=2, n_head=4,
                        resid_pdrop=0.05, embd_pdrop=0.05, attn_pdrop=0.05,
                        bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD)
    model = GPT2LMHeadModel(config)
    args = TrainingArguments(
        output_dir="/tmp/hf-recipes", num_train_epochs=6, per_device_train_batch_size=16,
        gradient_accumulation_steps=2, per_device_eval_batch_size=100, learning_rate=4e-3,
        lr_scheduler_type="cosine", warmup_steps=30, max_grad_norm=1.0, eval_strategy="epoch",
        save_strategy="no", logging_steps=50, remove_unused_columns=False, report_to=[], use_cpu=True,
        disable_tqdm=True, label_names=["labels"])
    trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=eval_set, data_collator=collate,
                      compute_metrics=compute_metrics, preprocess_logits_for_metrics=preprocess_logits)
    trainer.train()
    metrics = trainer.evaluate()
    print(f"perplexity {math.exp(metrics['eval_loss']):.3f} legal argmax {metrics['eval_legal_next']:.4f} "
          f"legal rollout moves {rollout_legality(model):.4f}")


if __name__ == "__main__":
    main()
