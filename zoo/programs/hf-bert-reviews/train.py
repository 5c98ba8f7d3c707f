import random

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

POSITIVE = "great lovely superb charming clever warm brilliant moving".split()
NEGATIVE = "dull awful clumsy boring cold silly tedious weak".split()
NEUTRAL = "the film plot actor scene music was and with a its ending story director".split()
SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "not"]
VOCAB = {w: i for i, w in enumerate(SPECIAL + POSITIVE + NEGATIVE + NEUTRAL)}
MAX_LEN = 20


def make_review(rng):
    """Words of opinion among filler; 'not' flips the next word. Label is the sign of the sum."""
    while True:
        words, score = [], 0
        for _ in range(rng.choice([1, 3])):
            words += rng.choices(NEUTRAL, k=rng.randint(1, 3))
            value = rng.choice([1, -1])
            if rng.random() < 0.25:
                words.append("not")
                score -= value
            else:
                score += value
            words.append(rng.choice(POSITIVE if value > 0 else NEGATIVE))
        if len(words) <= MAX_LEN - 2:
            return " ".join(words), int(score > 0)


def encode(text):
    ids = [VOCAB["[CLS]"]] + [VOCAB[w] for w in text.split()] + [VOCAB["[SEP]"]]
    return ids[:MAX_LEN]


class Reviews(Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.rows = [make_review(rng) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, label = self.rows[i]
        return {"input_ids": encode(text), "labels": label}


def pad_batch(features):
    width = max(len(f["input_ids"]) for f in features)
    ids = torch.full((len(features), width), VOCAB["[PAD]"])
    mask = torch.zeros(len(features), width, dtype=torch.long)
    for row, f in enumerate(features):
        n = len(f["input_ids"])
        ids[row, :n] = torch.tensor(f["input_ids"])
        mask[row, :n] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor([f["labels"] for f in features])}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


def main():
    set_seed(30)
    config = BertConfig(
        vocab_size=len(VOCAB),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=MAX_LEN,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_labels=2,
        initializer_range=0.1,
    )
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=4,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=128,
        learning_rate=2e-3,
        warmup_steps=20,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        seed=30,
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=Reviews(2400, seed=1),
        eval_dataset=Reviews(300, seed=2),
        data_collator=pad_batch,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    result = trainer.evaluate(Reviews(600, seed=3), metric_key_prefix="test")
    print(f"test accuracy = {result['test_accuracy']:.4f}")


if __name__ == "__main__":
    main()
