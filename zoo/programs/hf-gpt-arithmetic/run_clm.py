"""Train a very small GPT-2 on modular running sums and report held-out perplexity."""

import argparse
import math

import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, default_data_collator, set_seed

BASE = 10
LENGTH = 18
BOS = BASE


def make_sequences(n, seed):
    # x[t] = x[t-1] + step (mod 10); a digit is sometimes random
    g = torch.Generator().manual_seed(seed)
    rows = []
    for _ in range(n):
        x = int(torch.randint(BASE, (1,), generator=g))
        step = int(torch.randint(1, 4, (1,), generator=g))
        row = [BOS, x]
        while len(row) < LENGTH:
            if torch.rand(1, generator=g).item() < 0.06:
                x = int(torch.randint(BASE, (1,), generator=g))
            else:
                x = (x + step) % BASE
            row.append(x)
        rows.append(row)
    return Dataset.from_dict({"input_ids": rows, "labels": rows})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=0)
    opts = parser.parse_args()
    set_seed(opts.seed)

    train_ds = make_sequences(1400, seed=opts.seed)
    eval_ds = make_sequences(300, seed=opts.seed + 10_000)

    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=BASE + 1,
            n_positions=LENGTH,
            n_embd=32,
            n_layer=2,
            n_head=2,
            bos_token_id=BOS,
            eos_token_id=BOS,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            initializer_range=0.1,
        )
    )
    print(f"{model.num_parameters():,} parameters")
    training_args = TrainingArguments(
        output_dir="clm-out",
        num_train_epochs=opts.epochs,
        per_device_train_batch_size=28,
        per_device_eval_batch_size=100,
        learning_rate=opts.lr,
        lr_scheduler_type="cosine",
        warmup_steps=20,
        eval_strategy="no",
        save_strategy="no",
        logging_strategy="epoch",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=opts.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_ds,
        eval_dataset=eval_ds,
        data_collator=default_data_collator,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print(f"eval perplexity: {math.exp(metrics['eval_loss']):.4f}")


if __name__ == "__main__":
    main()
