"""Supervised fine-tuning on a toy chat format: the loss is taken on the assistant's reply only."""
import random

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

ITEMS = {
    "apple": "fruit red", "lemon": "fruit yellow", "plum": "fruit purple", "lime": "fruit green",
    "crow": "bird black", "swan": "bird white", "robin": "bird red", "parrot": "bird green",
    "ruby": "gem red", "jade": "gem green", "pearl": "gem white", "amber": "gem yellow",
}
FILLER = "please tell me now what is this thing kindly about hello friend".split()
SPECIAL = ["<pad>", "<user>", "<assistant>", "<end>"]
WORDS = sorted(set(FILLER) | set(ITEMS) | {w for v in ITEMS.values() for w in v.split()})
VOCAB = SPECIAL + WORDS
TOK = {w: i for i, w in enumerate(VOCAB)}
PAD, USER, ASSISTANT, END = (TOK[s] for s in SPECIAL)
IGNORE = -100


def make_dialogue(rng):
    words = [rng.choice(FILLER) for _ in range(rng.randint(2, 8))]
    item = rng.choice(list(ITEMS))
    words.insert(rng.randrange(len(words) + 1), item)
    return words, ITEMS[item].split()


def last_index(ids, token):
    return len(ids) - 1 - ids[::-1].index(token)


def encode(question, answer):
    ids = [USER] + [TOK[w] for w in question] + [END]
    ids += [ASSISTANT] + [TOK[w] for w in answer] + [END]
    start = last_index(ids, END)
    labels = [IGNORE] * start + ids[start:]
    return {"input_ids": ids, "labels": labels}


class ChatDataset(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.dialogues = [make_dialogue(rng) for _ in range(n)]
        self.examples = [encode(q, a) for q, a in self.dialogues]

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, i):
        return self.examples[i]


def collate(features):
    ids = [torch.tensor(f["input_ids"]) for f in features]
    labels = [torch.tensor(f["labels"]) for f in features]
    input_ids = pad_sequence(ids, batch_first=True, padding_value=PAD)
    mask = pad_sequence([torch.ones_like(t) for t in ids], batch_first=True, padding_value=0)
    return {
        "input_ids": input_ids,
        "attention_mask": mask,
        "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORE),
    }


@torch.no_grad()
def exact_match(model, dialogues, max_new=5):
    model.eval()
    hits = 0
    for question, answer in dialogues:
        ids = [USER] + [TOK[w] for w in question] + [END, ASSISTANT]
        reply = []
        for _ in range(max_new):
            token = model(input_ids=torch.tensor([ids])).logits[0, -1].argmax().item()
            if token == END:
                break
            ids.append(token)
            reply.append(VOCAB[token])
        hits += reply == answer
    return hits / len(dialogues)


def main():
    set_seed(42)
    train_set, test_set = ChatDataset(3000, seed=0), ChatDataset(200, seed=1)
    config = LlamaConfig(
        vocab_size=len(VOCAB), hidden_size=48, intermediate_size=96, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=64,
        pad_token_id=PAD, bos_token_id=USER, eos_token_id=END,
    )
    model = LlamaForCausalLM(config)
    args = TrainingArguments(
        output_dir="/tmp/chat-sft",
        num_train_epochs=5,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        learning_rate=3e-3,
        warmup_steps=30,
        lr_scheduler_type="cosine",
        weight_decay=0.01,
        logging_steps=50,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        remove_unused_columns=False,
    )
    trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=test_set,
                      data_collator=collate)
    trainer.train()
    print(f"test reply exact match: {exact_match(model, test_set.dialogues):.3f}")


if __name__ == "__main__":
    main()
