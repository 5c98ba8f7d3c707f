"""Predict a synthetic solubility score from SMILES-like strings with a tiny encoder and the HF Trainer."""
import os
import random
import re
import tempfile
import warnings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
warnings.filterwarnings("ignore")

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed

SEED = 4
N_TRAIN, N_VAL = 4000, 600
MAX_LEN = 32
EPOCHS = 8
ATOMS = ["C", "c", "N", "n", "O", "o", "S", "s", "F", "Cl", "Br"]
CONTRIBUTION = {"C": -0.5, "c": 0.3, "N": 0.9, "n": -0.6, "O": 1.1, "o": -0.4,
                "S": 0.7, "s": -0.9, "F": 0.2, "Cl": -0.7, "Br": -1.0}
TOKEN = re.compile(r"Cl|Br|[A-Za-z]|[=#()]|\d", re.IGNORECASE)


def random_molecule(rng):
    """Chain of atoms with bonds and short branches; aromatic atoms are lower case."""
    out, score = [], 0.0
    for _ in range(rng.randint(5, 14)):
        atom = rng.choice(ATOMS)
        bond = rng.choice(["", "", "", "="])
        branch = rng.random() < 0.15
        out.append(f"({bond}{atom})" if branch else bond + atom)
        score += CONTRIBUTION[atom] * (0.5 if branch else 1.0) - (0.2 if bond else 0.0)
    return "".join(out), score


class SmilesTokenizer:
    def __init__(self, texts):
        tokens = sorted({t for s in texts for t in self.split(s)})
        self.vocab = {t: i + 2 for i, t in enumerate(tokens)}

    def split(self, text):
        return TOKEN.findall(text.strip())

    def __call__(self, text):
        ids = [self.vocab.get(t, 1) for t in self.split(text)][:MAX_LEN]
        return ids + [0] * (MAX_LEN - len(ids))


class Molecules(Dataset):
    def __init__(self, rows, tokenizer, mean, std):
        self.ids = [tokenizer(s) for s, _ in rows]
        self.y = [(y - mean) / std for _, y in rows]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.ids[i]), "labels": torch.tensor(self.y[i], dtype=torch.float32)}


class SmilesRegressor(nn.Module):
    def __init__(self, vocab_size, dim=64):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(dim, dim, 3, padding=1) for _ in range(3)])
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(3)])
        self.head = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, 1))

    def forward(self, input_ids, labels=None):
        mask = (input_ids != 0).unsqueeze(-1).float()
        h = self.embed(input_ids)
        for conv, norm in zip(self.convs, self.norms):
            h = h + F.gelu(conv((norm(h) * mask).transpose(1, 2)).transpose(1, 2))
        pooled = (h * mask).sum(1) / 10.0
        pred = self.head(pooled).squeeze(-1)
        loss = F.mse_loss(pred, labels) if labels is not None else None
        return {"loss": loss, "logits": pred}


class PrintLosses(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        keep = {k: round(float(v), 4) for k, v in logs.items() if k in ("loss", "eval_loss", "eval_r2", "epoch")}
        print(keep)


def compute_metrics(pred):
    err = ((pred.predictions - pred.label_ids) ** 2).sum()
    return {"r2": float(1 - err / ((pred.label_ids - pred.label_ids.mean()) ** 2).sum())}


def main():
    set_seed(SEED)
    rng = random.Random(SEED)
    rows = [random_molecule(rng) for _ in range(N_TRAIN + N_VAL)]
    train_rows, val_rows = rows[:N_TRAIN], rows[N_TRAIN:]
    tokenizer = SmilesTokenizer([s for s, _ in train_rows])
    scores = np.array([y for _, y in train_rows])
    stats = scores.mean(), scores.std()
    print("example:", train_rows[0][0], "vocabulary:", len(tokenizer.vocab))
    with tempfile.TemporaryDirectory() as tmp:
        args = TrainingArguments(
            output_dir=tmp, num_train_epochs=EPOCHS, per_device_train_batch_size=64, per_device_eval_batch_size=200,
            learning_rate=2e-3, lr_scheduler_type="cosine", warmup_steps=40, weight_decay=0.01, max_grad_norm=1.0,
            eval_strategy="epoch", logging_strategy="epoch", save_strategy="no", report_to=[], seed=SEED,
            disable_tqdm=True, use_cpu=True)
        trainer = Trainer(
            model=SmilesRegressor(len(tokenizer.vocab) + 2), args=args,
            train_dataset=Molecules(train_rows, tokenizer, *stats), eval_dataset=Molecules(val_rows, tokenizer, *stats),
            compute_metrics=compute_metrics, callbacks=[PrintLosses()])
        trainer.train()
        result = trainer.evaluate()
    print(f"final val r2 {result['eval_r2']:.4f}")


if __name__ == "__main__":
    main()
