"""Pre-train a tiny GPT-2 on a toy grammar with packed blocks, then sample sentences and check the grammar."""
import random

import numpy as np
import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

DET = ["the", "a", "every", "some"]
ADJ = ["big", "small", "red", "old", "quiet"]
NOUN = ["dog", "cat", "bird", "teacher", "robot", "child"]
VERB = ["sees", "likes", "follows", "hears"]
ADV = ["often", "rarely", "today"]
KIND = {w: k for k, ws in dict(D=DET, J=ADJ, N=NOUN, V=VERB, A=ADV).items() for w in ws}
VOCAB = ["<eos>"] + DET + ADJ + NOUN + VERB + ADV
STOI = {w: i for i, w in enumerate(VOCAB)}
EOS = STOI["<eos>"]
BLOCK = 33


def noun_phrase(rng):
    words = [rng.choice(DET)]
    if rng.random() < 0.5:
        words.append(rng.choice(ADJ))
    return words + [rng.choice(NOUN)]


def sentence(rng):
    words = noun_phrase(rng) + [rng.choice(VERB)] + noun_phrase(rng)
    if rng.random() < 0.4:
        words.append(rng.choice(ADV))
    return words


def is_grammatical(words):
    tags = "".join(KIND.get(w, "?") for w in words)
    for adv in ("", "A"):
        for first in ("DN", "DJN"):
            for second in ("DN", "DJN"):
                if tags == first + "V" + second + adv:
                    return True
    return False


def tokenize(batch):
    return {"input_ids": [[STOI[w] for w in text.split()] + [EOS] for text in batch["text"]]}


def group_texts(batch):
    stream = [t for ids in batch["input_ids"] for t in ids]
    total = (len(stream) // BLOCK) * BLOCK
    chunks = [stream[i:i + BLOCK] for i in range(0, total, BLOCK)]
    return {
        "input_ids": [c[:-1] for c in chunks],
        "attention_mask": [[1] * (BLOCK - 1) for _ in chunks],
        "labels": [c[1:] for c in chunks],
    }


def build_dataset(n, seed):
    rng = random.Random(seed)
    raw = Dataset.from_dict({"text": [" ".join(sentence(rng)) for _ in range(n)]})
    tok = raw.map(tokenize, batched=True, remove_columns=["text"])
    return tok.map(group_texts, batched=True, batch_size=2000, remove_columns=tok.column_names)


@torch.no_grad()
def sample_sentences(model, n=200, max_len=12):
    model.eval()
    ids = torch.full((n, 1), EOS)
    for _ in range(max_len):
        logits = model(input_ids=ids).logits[:, -1]
        ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], dim=1)
    out = []
    for row in ids[:, 1:].tolist():
        row = row[:row.index(EOS)] if EOS in row else row
        out.append([VOCAB[t] for t in row])
    return out


def main():
    set_seed(0)
    train_set, eval_set = build_dataset(6000, seed=1), build_dataset(600, seed=2)
    config = GPT2Config(vocab_size=len(VOCAB), n_positions=64, n_embd=48, n_layer=2, n_head=4,
                        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                        bos_token_id=EOS, eos_token_id=EOS)
    model = GPT2LMHeadModel(config)
    args = TrainingArguments(
        output_dir="/tmp/clm-blocks",
        num_train_epochs=8,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        learning_rate=3e-3,
        lr_scheduler_type="cosine",
        warmup_steps=20,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=50,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        seed=0,
    )
    trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=eval_set)
    trainer.train()
    metrics = trainer.evaluate()
    print(f"eval loss {metrics['eval_loss']:.4f}  perplexity {np.exp(metrics['eval_loss']):.2f}")
    samples = sample_sentences(model)
    for words in samples[:5]:
        print("  sample:", " ".join(words))
    print(f"grammatical samples: {np.mean([is_grammatical(w) for w in samples]):.3f}")


if __name__ == "__main__":
    main()
