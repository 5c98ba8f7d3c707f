"""Teach a tiny randomly initialised GPT-2 to sort short digit strings, e.g. `413=134`."""
import random

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

CHARS = "0123456789="
EOS = len(CHARS)
PAD = EOS
STOI = {c: i for i, c in enumerate(CHARS)}


def encode(s):
    return [STOI[c] for c in s]


def make_pair(rng):
    s = "".join(rng.choice("01234567") for _ in range(rng.randint(1, 4)))
    return s + "=", "".join(sorted(s))


def build_dataset(n, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        prompt, answer = make_pair(rng)
        rows.append({"prompt_len": len(prompt), "input_ids": encode(prompt + answer) + [EOS]})
    return rows


class Collator:
    def __call__(self, rows):
        width = max(len(r["input_ids"]) for r in rows)
        ids = torch.full((len(rows), width), PAD)
        mask = torch.zeros_like(ids)
        for i, r in enumerate(rows):
            n = len(r["input_ids"])
            ids[i, :n] = torch.tensor(r["input_ids"])
            mask[i, :n] = 1
        labels = ids.clone()
        labels[ids == PAD] = -100
        for i, r in enumerate(rows):
            labels[i, :r["prompt_len"]] = -100
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}


class ExactMatch(TrainerCallback):
    def __init__(self, n=80, seed=99):
        rng = random.Random(seed)
        self.pairs = [make_pair(rng) for _ in range(n)]

    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        model.eval()
        hits = 0
        for prompt, answer in self.pairs:
            ids = torch.tensor([encode(prompt)])
            with torch.no_grad():
                for _ in range(6):
                    nxt = model(input_ids=ids).logits[0, -1].argmax()
                    if nxt == EOS:
                        break
                    ids = torch.cat([ids, nxt.view(1, 1)], dim=1)
            hits += ids[0, len(prompt):].tolist() == encode(answer)
        model.train()
        loss = state.log_history[-1].get("loss", float("nan")) if state.log_history else float("nan")
        print(f"epoch {state.epoch:.0f} loss {float(loss):.4f} exact match {hits / len(self.pairs):.3f}", flush=True)


def main():
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=EOS + 1, n_positions=16, n_embd=48, n_layer=2, n_head=4,
                        bos_token_id=EOS, eos_token_id=EOS, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    model = GPT2LMHeadModel(config)
    args = TrainingArguments(
        output_dir="/tmp/hf-sort", num_train_epochs=5, per_device_train_batch_size=64, learning_rate=4e-3,
        warmup_steps=20, lr_scheduler_type="cosine", logging_steps=20, save_strategy="no", report_to=[],
        disable_tqdm=True, remove_unused_columns=False, use_cpu=True, seed=0)
    trainer = Trainer(model=model, args=args, train_dataset=build_dataset(4000, 1), data_collator=Collator(),
                      callbacks=[ExactMatch()])
    trainer.train()


if __name__ == "__main__":
    main()
