#!/usr/bin/env python
"""Train a tiny GPT-2 from scratch on synthetic recipe instructions."""
import argparse
import logging
import math
import random

import torch
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel, get_linear_schedule_with_warmup, set_seed

logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
logger = logging.getLogger("run_clm")

SPECIAL = ["<pad>", "<bos>", "<eos>", "<unk>"]

INGREDIENTS = {
    "onion": ["chop", "fry", "peel"], "carrot": ["grate", "peel", "boil"], "potato": ["mash", "boil", "peel"],
    "egg": ["whisk", "boil", "crack"], "flour": ["sift", "weigh"], "butter": ["melt", "soften"],
    "rice": ["rinse", "boil"], "garlic": ["crush", "chop"], "cheese": ["grate", "melt"],
}
TOOLS = {"chop": "knife", "fry": "pan", "peel": "knife", "grate": "grater", "boil": "pot", "mash": "fork",
         "whisk": "fork", "crack": "bowl", "sift": "sieve", "weigh": "scale", "melt": "pan", "soften": "bowl",
         "rinse": "sieve", "crush": "press"}  # fmt: skip


def write_recipe(rng):
    steps = []
    for item in rng.sample(sorted(INGREDIENTS), rng.randint(1, 3)):
        verb = rng.choice(INGREDIENTS[item])
        step = f"{verb} the {item} with the {TOOLS[verb]}"
        if rng.random() < 0.4:
            step += f" for {rng.choice(['two', 'five', 'ten'])} minutes"
        steps.append(step)
    return " then ".join(steps) + " ."


def collate(batch, pad_id):
    width = max(len(x) for x in batch)
    input_ids = torch.tensor([x + [pad_id] * (width - len(x)) for x in batch])
    attention_mask = torch.tensor([[1] * len(x) + [0] * (width - len(x)) for x in batch])
    labels = input_ids.masked_fill(attention_mask == 0, -100)
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


def evaluate(model, loader):
    model.eval()
    nll, n_tokens = 0.0, 0
    for batch in loader:
        with torch.no_grad():
            loss = model(**batch).loss
        count = (batch["labels"][:, 1:] != -100).sum().item()
        nll += loss.item() * count
        n_tokens += count
    model.train()
    return math.exp(nll / n_tokens)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_train_epochs", type=int, default=4)
    parser.add_argument("--per_device_train_batch_size", type=int, default=16)
    parser.add_argument("--learning_rate", type=float, default=3e-3)
    parser.add_argument("--weight_decay", type=float, default=0.01)
    parser.add_argument("--warmup_ratio", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    set_seed(args.seed)

    rng = random.Random(args.seed)
    texts = [write_recipe(rng) for _ in range(1100)]
    train_texts, eval_texts = texts[:800], [t for t in texts[800:] if t not in set(texts[:800])]

    vocab = {w: i for i, w in enumerate(SPECIAL + sorted({w for t in train_texts for w in t.split()}))}

    def tokenize(text):
        return [vocab["<bos>"]] + [vocab.get(w, vocab["<unk>"]) for w in text.split()] + [vocab["<eos>"]]

    collate_fn = lambda b: collate(b, vocab["<pad>"])  # noqa: E731
    train_dataloader = DataLoader(
        [tokenize(t) for t in train_texts],
        shuffle=True,
        batch_size=args.per_device_train_batch_size,
        collate_fn=collate_fn,
    )
    eval_dataloader = DataLoader([tokenize(t) for t in eval_texts], batch_size=64, collate_fn=collate_fn)

    config = GPT2Config(
        vocab_size=len(vocab), n_positions=48, n_embd=32, n_layer=2, n_head=2,
        bos_token_id=vocab["<bos>"], eos_token_id=vocab["<eos>"], pad_token_id=vocab["<pad>"],
        resid_pdrop=0.05, embd_pdrop=0.05, attn_pdrop=0.05,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    logger.info("vocab %d, parameters %d", len(vocab), model.num_parameters())

    no_decay = ["bias", "ln_1.weight", "ln_2.weight", "ln_f.weight"]
    grouped = [
        {
            "params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)],
            "weight_decay": args.weight_decay,
        },
        {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(grouped, lr=args.learning_rate)
    max_train_steps = args.num_train_epochs * len(train_dataloader)
    lr_scheduler = get_linear_schedule_with_warmup(optimizer, int(args.warmup_ratio * max_train_steps), max_train_steps)

    model.train()
    for epoch in range(args.num_train_epochs):
        total_loss = 0.0
        for batch in train_dataloader:
            loss = model(**batch).loss
            total_loss += loss.detach().float()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
        perplexity = evaluate(model, eval_dataloader)
        logger.info("epoch %d train_loss %.4f perplexity %.4f", epoch, total_loss / len(train_dataloader), perplexity)
    print(f"eval_perplexity = {perplexity:.4f}")


if __name__ == "__main__":
    main()
