# %% [markdown]
# Ticket triage: words of the ticket + account facts (plan, spend, open tickets) -> queue
# %%
import os
import tempfile
import warnings

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.filterwarnings("ignore")

import numpy as np
import torch
import torch.nn as nn
from datasets import Dataset
from transformers import BertConfig, BertModel, Trainer, TrainingArguments, set_seed

SEED = 0
N_QUEUES = 4
VOCAB_SIZE = 200
MAX_LEN = 20
set_seed(SEED)
rng = np.random.default_rng(SEED)


# %% data
def make_tickets(n):
    topic = rng.integers(0, 3, n)                     # what the text is about
    spend = rng.lognormal(4, 1, n)
    open_tickets = rng.poisson(2.0, n)
    premium = rng.random(n) < 0.4
    queue = np.where(topic == 2, 3, topic)
    # important customers are served by the priority desk, whatever the topic is
    important = (np.log(spend) + 1.2 * premium + 0.3 * open_tickets) > 5.6
    queue = np.where(important & (topic != 2), 2, queue)
    ids, mask = [], []
    for t in topic:
        k = rng.integers(8, MAX_LEN)
        words = rng.integers(100, VOCAB_SIZE, k)
        hot = rng.random(k) < 0.3
        words[hot] = 10 + t * 30 + rng.integers(0, 30, hot.sum())
        ids.append(np.r_[1, words, np.zeros(MAX_LEN - k, int)].tolist())
        mask.append(np.r_[np.ones(k + 1, int), np.zeros(MAX_LEN - k, int)].tolist())
    facts = np.stack([np.log(spend), open_tickets, premium], 1).astype(np.float32)
    facts = (facts - facts.mean(0)) / facts.std(0)
    return Dataset.from_dict(
        {"input_ids": ids, "attention_mask": mask, "facts": facts.tolist(), "labels": queue.tolist()}
    )


train_ds, eval_ds = make_tickets(2500), make_tickets(600)
print(train_ds)


# %% model
class TriageModel(nn.Module):
    def __init__(self, hidden=32, n_facts=3):
        super().__init__()
        cfg = BertConfig(
            vocab_size=VOCAB_SIZE, hidden_size=hidden, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=2 * hidden, max_position_embeddings=MAX_LEN + 1,
        )
        self.n_facts = n_facts
        self.bert = BertModel(cfg)
        self.facts = nn.Sequential(nn.Linear(n_facts, hidden), nn.ReLU())
        self.classifier = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, N_QUEUES))

    def forward(self, input_ids, attention_mask=None, labels=None, **extra):
        text = self.bert(input_ids=input_ids, attention_mask=attention_mask).pooler_output
        facts = extra.get("facts")
        if facts is None:  # tickets from unknown senders
            facts = text.new_zeros(len(text), self.n_facts)
        logits = self.classifier(torch.cat([text, self.facts(facts)], dim=-1))
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


def compute_metrics(p):
    pred = p.predictions.argmax(-1)
    acc = (pred == p.label_ids).mean()
    recall = np.mean([(pred[p.label_ids == c] == c).mean() for c in range(N_QUEUES)])
    return {"accuracy": acc, "balanced_accuracy": recall}


# %% training
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(
        output_dir=out,
        num_train_epochs=8,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=128,
        learning_rate=1e-3,
        lr_scheduler_type="linear",
        warmup_steps=40,
        weight_decay=0.01,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=50,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        remove_unused_columns=False,
        label_names=["labels"],
        seed=SEED,
    )
    trainer = Trainer(
        model=TriageModel(),
        args=args,
        train_dataset=train_ds,
        eval_dataset=eval_ds,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    final = trainer.evaluate()

# %%
print(f"accuracy: {final['eval_accuracy']:.4f}")
print(f"balanced accuracy: {final['eval_balanced_accuracy']:.4f}")
