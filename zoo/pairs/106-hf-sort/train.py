"""Tiny GPT-2 on digit strings: write the digits in sorted order after the '='."""
import random
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

PAD, BOS, EQ, EOS = 10, 11, 12, 13
N_DIGITS = 5


def make_rows(n, seed):
    rng = random.Random(seed)
    return [tuple(rng.randrange(10) for _ in range(N_DIGITS)) for _ in range(n)]


class SortSet(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return {"seq": [BOS, *row, EQ, *sorted(row), EOS]}


def collate(features):
    seq = torch.tensor([f["seq"] for f in features])
    inputs, labels = seq[:, :-1], seq[:, 1:].clone()
    labels[:, : N_DIGITS + 1] = -100
    return {"input_ids": inputs, "attention_mask": torch.ones_like(inputs), "labels": labels}


class PrintLoss(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            print(f"step {state.global_step:4d}  loss {float(logs['loss']):.4f}  lr {float(logs['learning_rate']):.2e}")
        if logs and "eval_loss" in logs:
            print(f"step {state.global_step:4d}  eval_loss {float(logs['eval_loss']):.4f}")


@torch.no_grad()
def exact_match(model, rows):
    model.eval()
    x = torch.tensor([[BOS, *r, EQ] for r in rows])
    for _ in range(N_DIGITS):
        x = torch.cat([x, model(input_ids=x).logits[:, -1].argmax(-1, keepdim=True)], 1)
    gold = torch.tensor([sorted(r) for r in rows])
    out = x[:, -N_DIGITS:]
    return (out == gold).all(1).float().mean().item(), (out == gold).float().mean().item()


def main():
    set_seed(0)
    torch.set_num_threads(1)
    rows = make_rows(9000, 0)
    seen = set(rows)
    held = [r for r in make_rows(600, 1) if r not in seen][:400]
    model = GPT2LMHeadModel(GPT2Config(
        vocab_size=14, n_positions=16, n_embd=64, n_layer=2, n_head=4,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD))
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, max_steps=500, per_device_train_batch_size=64, per_device_eval_batch_size=200,
            learning_rate=3e-3, lr_scheduler_type="cosine", warmup_steps=40, weight_decay=0.01,
            logging_steps=50, eval_strategy="steps", eval_steps=250, save_strategy="no", report_to=[],
            disable_tqdm=True, use_cpu=True, remove_unused_columns=False, dataloader_num_workers=0)
        trainer = Trainer(model=model, args=args, train_dataset=SortSet(rows), eval_dataset=SortSet(held),
                          data_collator=collate, callbacks=[PrintLoss()])
        trainer.train()
    exact, digit = exact_match(model, held)
    print(f"held-out exact match {exact:.4f}  digit accuracy {digit:.4f}")


if __name__ == "__main__":
    main()
