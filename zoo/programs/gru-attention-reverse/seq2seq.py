# coding: utf-8
# Sequence to sequence with Bahdanau attention: read a string of digits, write it backwards.
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, SOS, EOS = 0, 1, 2
OFFSET = 3  # digit d has id d + OFFSET
MAX_LEN = 6


def random_string():
    return [random.randint(0, 9) for _ in range(random.randint(3, MAX_LEN))]


def prepare(n):
    strings = set()
    while len(strings) < n:
        strings.add(tuple(random_string()))
    strings = [list(s) for s in strings]
    random.shuffle(strings)
    return strings


def tensorize(strings):
    # (time, batch), source padded to the longest one, target ends with EOS
    src_len = torch.tensor([len(s) for s in strings])
    T = src_len.max().item()
    src = torch.full((T, len(strings)), PAD)
    tgt = torch.full((T + 1, len(strings)), PAD)
    for b, s in enumerate(strings):
        src[: len(s), b] = torch.tensor(s) + OFFSET
        tgt[: len(s), b] = torch.tensor(s[::-1]) + OFFSET
        tgt[len(s), b] = EOS
    return src, src_len, tgt


class EncoderRNN(nn.Module):
    def __init__(self, vocab, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden_size, padding_idx=PAD)
        self.gru = nn.GRU(hidden_size, hidden_size // 2, bidirectional=True)

    def forward(self, src, src_len):
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(src), src_len, enforce_sorted=False)
        outputs, hidden = self.gru(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs)
        return outputs, torch.cat([hidden[0], hidden[1]], dim=1).unsqueeze(0)


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, projected_keys, values, mask):
        scores = self.Va(torch.tanh(self.Wa(query) + projected_keys)).squeeze(-1)  # T, B
        weights = F.softmax(scores.masked_fill(mask, -1e9), dim=0)
        return (weights.unsqueeze(-1) * values).sum(0)


class AttnDecoderRNN(nn.Module):
    def __init__(self, vocab, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.cell = nn.GRUCell(2 * hidden_size, hidden_size)
        self.out = nn.Linear(2 * hidden_size, vocab)

    def forward(self, enc_out, enc_hidden, mask, steps, targets=None, teacher_forcing=1.0):
        hidden = enc_hidden[0]
        token = torch.full((enc_out.size(1),), SOS)
        keys = self.attention.Ua(enc_out)
        logits = []
        for t in range(steps):
            context = self.attention(hidden, keys, enc_out, mask)
            hidden = self.cell(torch.cat([self.embedding(token), context], dim=1), hidden)
            logit = self.out(torch.cat([hidden, context], dim=1))
            logits.append(logit)
            if targets is not None and random.random() < teacher_forcing:
                token = targets[t]
            else:
                token = logit.argmax(1).detach()
        return torch.stack(logits)


def exact_match(encoder, decoder, strings):
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        src, src_len, tgt = tensorize(strings)
        enc_out, enc_hidden = encoder(src, src_len)
        pred = decoder(enc_out, enc_hidden, src == PAD, tgt.size(0)).argmax(-1)
    encoder.train()
    decoder.train()
    ok = ((pred == tgt) | (tgt == PAD)).all(0)
    return ok.float().mean().item()


def train_iters(encoder, decoder, train_strings, valid_strings, n_iters, batch_size=32, print_every=50):
    start = time.time()
    encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=0.006)
    decoder_optimizer = torch.optim.Adam(decoder.parameters(), lr=0.006)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    plot_loss = 0
    for it in range(1, n_iters + 1):
        src, src_len, tgt = tensorize(random.sample(train_strings, batch_size))
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        enc_out, enc_hidden = encoder(src, src_len)
        logits = decoder(enc_out, enc_hidden, src == PAD, tgt.size(0), tgt, teacher_forcing=0.9)
        loss = criterion(logits.flatten(0, 1), tgt.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(list(encoder.parameters()) + list(decoder.parameters()), 1.0)
        encoder_optimizer.step()
        decoder_optimizer.step()
        plot_loss += loss.item()
        if it == int(0.7 * n_iters):
            for opt in (encoder_optimizer, decoder_optimizer):
                opt.param_groups[0]["lr"] *= 0.25
        if it % print_every == 0:
            acc = exact_match(encoder, decoder, valid_strings)
            print("%4.1fs (%d %d%%) loss %.4f, valid exact %.3f" % (time.time() - start, it, it / n_iters * 100, plot_loss / print_every, acc))
            plot_loss = 0


if __name__ == "__main__":
    random.seed(12)
    torch.manual_seed(12)
    strings = prepare(8000)
    encoder = EncoderRNN(10 + OFFSET, 48)
    decoder = AttnDecoderRNN(10 + OFFSET, 48)
    train_iters(encoder, decoder, strings[:7000], strings[7000:7300], n_iters=300)
    print("exact match on unseen strings: %.3f" % exact_match(encoder, decoder, strings[7300:]))
