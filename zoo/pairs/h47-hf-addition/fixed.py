"""GPT-2 from scratch on additions; the answer is written last digit first, only the answer is scored."""
import random
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

CHARS = "0123456789+=.;"
IDX = {c: i for i, c in enumerate(CHARS)}
END = IDX[";"]


def encode(a, b):
    prompt = f"{a}+{b}="
    answer = str(a + b)[::-1] + ";"
    ids = [IDX[c] for c in prompt + answer]
    labels = [-100] * len(prompt) + [IDX[c] for c in answer]
    return {"input_ids": ids, "labels": labels}


def collate(rows):
    width = max(len(r["input_ids"]) for r in rows)
    ids = torch.full((len(rows), width), END)
    labels = torch.full((len(rows), width), -100)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    for i, r in enumerate(rows):
        n = len(r["input_ids"])
        ids[i, :n] = torch.tensor(r["input_ids"])
        labels[i, :n] = torch.tensor(r["labels"])
        mask[i, :n] = 1
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


class Show(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        if logs and "loss" in logs:
            print(f"step {state.global_step}  loss {float(logs['loss']):.4f}")


@torch.no_grad()
def right(model, a, b):
    ids = torch.tensor([[IDX[c] for c in f"{a}+{b}="]])
    text = ""
    for _ in range(4):
        nxt = model(input_ids=ids).logits[0, -1].argmax().view(1, 1)
        if nxt.item() == END:
            break
        text += CHARS[nxt.item()]
        ids = torch.cat([ids, nxt], 1)
    return text[::-1] == str(a + b)


def main():
    set_seed(0)
    torch.set_num_threads(1)
    pairs = [(a, b) for a in range(50) for b in range(50)]
    random.Random(0).shuffle(pairs)
    train, held = [encode(*p) for p in pairs[:2300]], pairs[2300:]
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(CHARS), n_positions=16, n_embd=64, n_layer=2, n_head=4,
                                       resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=END,
                                       eos_token_id=END, pad_token_id=END))
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(output_dir=out, max_steps=600, per_device_train_batch_size=64, learning_rate=4e-3,
                                 warmup_steps=50, lr_scheduler_type="cosine", logging_steps=100, report_to=[],
                                 save_strategy="no", disable_tqdm=True, use_cpu=True)
        Trainer(model=model, args=args, train_dataset=train, data_collator=collate, callbacks=[Show()]).train()
    model.eval()
    print(f"held-out exact sums {sum(right(model, a, b) for a, b in held) / len(held):.4f}")


if __name__ == "__main__":
    main()
