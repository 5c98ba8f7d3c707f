"""Tiny BERT sentiment-like classifier on generated reviews with dynamic padding and best-model selection."""
import random
import tempfile

import numpy as np
import torch
from datasets import Dataset
from sklearn.metrics import accuracy_score, f1_score
from transformers import (BertConfig, BertForSequenceClassification, EarlyStoppingCallback, Trainer,
                          TrainingArguments, set_seed)
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

PAD, CLS, NOT = 0, 1, 2
GOOD, BAD, NEUTRAL = range(3, 11), range(11, 19), range(19, 60)


def make_review(rng):
    label = rng.randrange(2)
    tokens = [rng.choice(NEUTRAL) for _ in range(rng.randint(4, 16))]
    for _ in range(rng.randint(1, 2)):
        negated = rng.random() < 0.3
        bank = GOOD if (label == 1) != negated else BAD
        phrase = ([NOT] if negated else []) + [rng.choice(bank)]
        at = rng.randrange(len(tokens) + 1)
        if at > 0 and tokens[at - 1] == NOT:
            at -= 1
        tokens[at:at] = phrase
    return [CLS] + tokens, label


def build(n, seed):
    rng = random.Random(seed)
    ids, labels = zip(*(make_review(rng) for _ in range(n)))
    return Dataset.from_dict({"input_ids": list(ids), "labels": list(labels)})


def collate(features):
    width = max(len(f["input_ids"]) for f in features)
    ids = torch.full((len(features), width), PAD)
    mask = torch.zeros(len(features), width, dtype=torch.long)
    for i, f in enumerate(features):
        n = len(f["input_ids"])
        ids[i, :n] = torch.tensor(f["input_ids"])
        mask[i, :n] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor([f["labels"] for f in features])}


def compute_metrics(pred):
    guess = pred.predictions.argmax(-1)
    return {"accuracy": accuracy_score(pred.label_ids, guess), "f1": f1_score(pred.label_ids, guess)}


def main():
    set_seed(1)
    train_set, val_set, test_set = build(3200, 0), build(400, 1), build(600, 2)
    config = BertConfig(vocab_size=60, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=96, max_position_embeddings=64, num_labels=2, pad_token_id=PAD)
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(
            output_dir=folder, num_train_epochs=6, per_device_train_batch_size=32, per_device_eval_batch_size=200,
            learning_rate=2e-3, warmup_steps=40, lr_scheduler_type="linear", weight_decay=0.01,
            eval_strategy="epoch", save_strategy="epoch", save_total_limit=1, load_best_model_at_end=True,
            metric_for_best_model="f1", greater_is_better=True, logging_steps=50, report_to=[],
            use_cpu=True, disable_tqdm=True, seed=1)
        trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=val_set,
                          data_collator=collate, compute_metrics=compute_metrics,
                          callbacks=[EarlyStoppingCallback(early_stopping_patience=3)])
        trainer.train()
        out = trainer.predict(test_set)
    confusion = np.zeros((2, 2), dtype=int)
    np.add.at(confusion, (out.label_ids, out.predictions.argmax(-1)), 1)
    print("confusion", confusion.tolist())
    print(f"test accuracy {out.metrics['test_accuracy']:.4f} f1 {out.metrics['test_f1']:.4f}")


if __name__ == "__main__":
    main()
