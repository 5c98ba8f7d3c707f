import argparse
import math
import random

import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="character level language model with truncated BPTT")
parser.add_argument("--nhid", type=int, default=64)
parser.add_argument("--emsize", type=int, default=24)
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--clip", type=float, default=0.5)
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--batch_size", type=int, default=16)
parser.add_argument("--bptt", type=int, default=32)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--seed", type=int, default=1111)
parser.add_argument("--save", type=str, default="model.pt")
args = parser.parse_args()

random.seed(args.seed)
torch.manual_seed(args.seed)

###############################################################################
# Text
###############################################################################

ANIMALS = ["fox", "owl", "hare", "badger", "otter", "wolf", "crow"]
MOODS = ["old", "tiny", "sleepy", "brave", "hungry", "quiet"]
PLACES = ["under the bridge", "by the river", "in the barn", "near the mill", "on the hill"]
VERBS = [("found", "a coin"), ("stole", "some bread"), ("painted", "the door"), ("buried", "a bone"), ("lost", "its hat")]


def sentence():
    hero = random.choice(ANIMALS)
    friend = random.choice([a for a in ANIMALS if a != hero])
    verb, obj = random.choice(VERBS)
    kind = random.randrange(3)
    if kind == 0:
        return f"the {random.choice(MOODS)} {hero} {verb} {obj} {random.choice(PLACES)}. "
    if kind == 1:
        return f"a {hero} met a {random.choice(MOODS)} {friend} {random.choice(PLACES)}. "
    return f'"did you see who {verb} {obj}?" asked the {hero}. "the {friend}!" '


def story(n_sentences):
    return "".join(sentence() for _ in range(n_sentences))


train_text, valid_text, test_text = story(700), story(150), story(150)
chars = sorted(set(train_text))
char_to_ix = {c: i for i, c in enumerate(chars)}


def encode(text):
    return torch.tensor([char_to_ix[c] for c in text], dtype=torch.long)


def batchify(data, bsz):
    # column b is a contiguous stretch of text
    nbatch = data.size(0) // bsz
    return data[: nbatch * bsz].view(bsz, -1).t().contiguous()


def get_batch(source, i):
    seq_len = min(args.bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].reshape(-1)


train_data = batchify(encode(train_text), args.batch_size)
val_data = batchify(encode(valid_text), 10)
test_data = batchify(encode(test_text), 10)

###############################################################################
# Model
###############################################################################


class CharModel(nn.Module):
    def __init__(self, ntoken, ninp, nhid, dropout):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.GRU(ninp, nhid)
        self.decoder = nn.Linear(nhid, ntoken)
        self.nhid = nhid

    def forward(self, x, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(x)), hidden)
        decoded = self.decoder(self.drop(output))
        return decoded.view(-1, decoded.size(-1)), hidden

    def init_hidden(self, bsz):
        return next(self.parameters()).new_zeros(1, bsz, self.nhid)


model = CharModel(len(chars), args.emsize, args.nhid, args.dropout)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)


def evaluate(source):
    model.eval()
    total_loss = 0.0
    hidden = model.init_hidden(source.size(1))
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, args.bptt):
            data, targets = get_batch(source, i)
            output, hidden = model(data, hidden)
            total_loss += len(data) * criterion(output, targets).item()
    return total_loss / (len(source) - 1)


def train():
    model.train()
    hidden = model.init_hidden(args.batch_size)
    total = 0.0
    for n, i in enumerate(range(0, train_data.size(0) - 1, args.bptt), 1):
        data, targets = get_batch(train_data, i)
        hidden = hidden.detach()
        optimizer.zero_grad()
        output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        total += loss.item()
    return total / n


best_val = float("inf")
for epoch in range(1, args.epochs + 1):
    train_loss = train()
    val_loss = evaluate(val_data)
    print(f"| epoch {epoch:2d} | train loss {train_loss:5.3f} | valid loss {val_loss:5.3f} | valid bpc {val_loss / math.log(2):6.3f}")
    if val_loss < best_val:
        best_val = val_loss
        torch.save(model.state_dict(), args.save)
    else:
        for group in optimizer.param_groups:
            group["lr"] /= 2.0

model.load_state_dict(torch.load(args.save))
test_loss = evaluate(test_data)
print(f"| End of training | test loss {test_loss:5.3f} | test bpc {test_loss / math.log(2):6.3f}")
