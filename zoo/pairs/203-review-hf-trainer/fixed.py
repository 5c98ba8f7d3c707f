"""Sentiment of synthetic reviews (with negation) using a small BERT and the Hugging Face Trainer."""
import os
import re
import tempfile

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

CONFIG = {
    "model": {"hidden": 48, "layers": 2, "heads": 4},
    "optim": {"peak_lr": "1.5m", "weight_decay": "10m", "warmup_updates": 30},
    "run": {"batch": 32, "epochs": 8, "seed": 7},
    "data": {"train": 4000, "val": 600, "length": 24},
}
SI = {"": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}

GOOD = "good great lovely crisp warm bright solid sharp".split()
BAD = "bad dull noisy weak cold broken slow cheap".split()
NOT = "not never hardly".split()
FILL = "the a screen sound battery case hinge was is and with very this it one quite really seems".split()
PAD, CLS, SEP = "[PAD]", "[CLS]", "[SEP]"
WORDS = {w: i for i, w in enumerate([PAD, CLS, SEP] + GOOD + BAD + NOT + FILL)}


def quantity(text):
    """'3m' -> 0.003"""
    number, suffix = re.fullmatch(r"([0-9.]+)([mun]?)", text).groups()
    return float(number) * SI[suffix]


def review(rng):
    words, balance = [], 0
    for _ in range(rng.integers(1, 3) * 2 - 1):
        words += list(rng.choice(FILL, rng.integers(0, 3)))
        positive, negated = rng.random() < 0.5, rng.random() < 0.4
        if negated:
            words.append(rng.choice(NOT))
        words.append(rng.choice(GOOD if positive else BAD))
        balance += 1 if positive != negated else -1
    return words, int(balance > 0)


class Reviews(torch.utils.data.Dataset):
    def __init__(self, n, seed, length):
        rng = np.random.default_rng(seed)
        self.rows = [self.encode(*review(rng), length) for _ in range(n)]

    @staticmethod
    def encode(words, label, length):
        ids = [WORDS[w] for w in [CLS] + words[: length - 2] + [SEP]]
        padding = length - len(ids)
        return {
            "input_ids": torch.tensor(ids + [WORDS[PAD]] * padding),
            "attention_mask": torch.tensor([1] * len(ids) + [0] * padding),
            "labels": torch.tensor(label),
        }

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def build_model(cfg, length):
    return BertForSequenceClassification(BertConfig(
        vocab_size=len(WORDS), hidden_size=cfg["hidden"], num_hidden_layers=cfg["layers"],
        num_attention_heads=cfg["heads"], intermediate_size=2 * cfg["hidden"], pad_token_id=WORDS[PAD],
        max_position_embeddings=length, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05, num_labels=2,
    ))


def metrics(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def arguments(folder, optim, run):
    return TrainingArguments(
        output_dir=folder, use_cpu=True, report_to=[], disable_tqdm=True, save_strategy="no",
        eval_strategy="epoch", logging_strategy="epoch", seed=run["seed"],
        per_device_train_batch_size=run["batch"], per_device_eval_batch_size=200, num_train_epochs=run["epochs"],
        learning_rate=quantity(optim["peak_lr"]), weight_decay=quantity(optim["weight_decay"]),
        warmup_steps=optim["warmup_updates"], lr_scheduler_type="linear", dataloader_pin_memory=False,
    )


def main():
    run, data = CONFIG["run"], CONFIG["data"]
    set_seed(run["seed"])
    model = build_model(CONFIG["model"], data["length"])
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=model, args=arguments(folder, CONFIG["optim"], run), compute_metrics=metrics,
            train_dataset=Reviews(data["train"], 1, data["length"]),
            eval_dataset=Reviews(data["val"], 2, data["length"]),
        )
        trainer.train()
        result = trainer.evaluate()
    print(f"final val loss {result['eval_loss']:.4f} val acc {result['eval_accuracy']:.4f}")


if __name__ == "__main__":
    main()
