"""Fine-tuning style run: a small GPT-2 learns to answer 'sort these letters' prompts."""
import argparse
import random
import string
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import (GPT2Config, GPT2LMHeadModel, Trainer,
                          TrainingArguments, set_seed)

torch.set_num_threads(1)


class LetterTokenizer:
    def __init__(self):
        symbols = list(string.ascii_lowercase[:16]) + ["=", "<|end|>"]
        self.stoi = {s: i for i, s in enumerate(symbols)}
        self.itos = symbols
        self.eos_token_id = self.stoi["<|end|>"]
        self.pad_token_id = self.eos_token_id

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return [self.stoi[c] for c in text]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_token_id:
                break
            out.append(self.itos[i])
        return "".join(out)


class SortDataset(Dataset):
    def __init__(self, tok, n, rng, exclude=()):
        self.tok = tok
        self.items = []
        seen = set(exclude)
        while len(self.items) < n:
            k = rng.randint(4, 9)
            word = "".join(rng.sample(string.ascii_lowercase[:16], k))
            if word in seen:
                continue
            seen.add(word)
            self.items.append((word + "=", "".join(sorted(word))))

    @property
    def words(self):
        return {p[:-1] for p, _ in self.items}

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        prompt, answer = self.items[i]
        p, a = self.tok.encode(prompt), self.tok.encode(answer)
        return {"input_ids": p + a + [self.tok.eos_token_id], "prompt_len": len(p)}


class CompletionCollator:
    """Right-pads a batch; loss is taken on the completion part only."""

    def __init__(self, tok):
        self.tok = tok

    def __call__(self, features):
        longest = max(len(f["input_ids"]) for f in features)
        ids = torch.full((len(features), longest), self.tok.pad_token_id)
        attention_mask = torch.zeros_like(ids)
        for row, f in enumerate(features):
            n = len(f["input_ids"])
            ids[row, :n] = torch.tensor(f["input_ids"])
            attention_mask[row, :n] = 1
        labels = ids.masked_fill(attention_mask == 0, -100)
        for row, f in enumerate(features):
            labels[row, : f["prompt_len"]] = -100
        return {"input_ids": ids, "attention_mask": attention_mask, "labels": labels}


@torch.no_grad()
def exact_match(model, tok, items, batch=100, max_new=12):
    model.eval()
    hits, show = 0, []
    for start in range(0, len(items), batch):
        part = items[start:start + batch]
        enc = [tok.encode(p) for p, _ in part]
        width = max(map(len, enc))
        ids = torch.tensor([[tok.pad_token_id] * (width - len(e)) + e for e in enc])
        mask = torch.tensor([[0] * (width - len(e)) + [1] * len(e) for e in enc])
        out = model.generate(input_ids=ids, attention_mask=mask, do_sample=False,
                             max_new_tokens=max_new, eos_token_id=tok.eos_token_id,
                             pad_token_id=tok.pad_token_id)
        for (p, a), row in zip(part, out[:, width:].tolist()):
            guess = tok.decode(row)
            hits += guess == a
            if len(show) < 3:
                show.append((p, a, guess))
    return hits / len(items), show


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=340)
    args = ap.parse_args()
    set_seed(args.seed)
    rng = random.Random(args.seed)

    tok = LetterTokenizer()
    test = SortDataset(tok, 300, rng)
    train = SortDataset(tok, 12000, rng, exclude=test.words)

    config = GPT2Config(vocab_size=len(tok), n_positions=32, n_embd=64, n_layer=2,
                        n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                        bos_token_id=tok.eos_token_id, eos_token_id=tok.eos_token_id)
    model = GPT2LMHeadModel(config)

    with tempfile.TemporaryDirectory() as tmp:
        targs = TrainingArguments(
            output_dir=tmp, max_steps=args.steps, per_device_train_batch_size=64,
            per_device_eval_batch_size=100, learning_rate=3e-3, warmup_steps=50,
            lr_scheduler_type="cosine", weight_decay=0.01, logging_steps=100,
            eval_strategy="steps", eval_steps=170, save_strategy="no",
            report_to="none", disable_tqdm=True, use_cpu=True, seed=args.seed,
            remove_unused_columns=False)
        trainer = Trainer(model=model, args=targs, train_dataset=train,
                          eval_dataset=test, data_collator=CompletionCollator(tok))
        trainer.train()
        print("held-out loss %.4f" % trainer.evaluate()["eval_loss"])

    em, show = exact_match(model, tok, test.items)
    for prompt, answer, guess in show:
        print(f"{prompt} expected {answer} got {guess}")
    print(f"test exact match {em:.3f}")


if __name__ == "__main__":
    main()
