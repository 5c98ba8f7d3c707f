"""nn.Transformer learns to add two-digit numbers; the sum is written least significant digit first."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

PLUS, BOS, EOS = 10, 11, 12
VOCAB = 13


def digits(n, width):
    """n (N,) -> (N, width), least significant first"""
    return torch.stack([(n // 10**k) % 10 for k in range(width)], dim=1)


def build_dataset(limit):
    a, b = torch.meshgrid(torch.arange(limit), torch.arange(limit), indexing="ij")
    a, b = a.reshape(-1), b.reshape(-1)
    plus = torch.full((len(a), 1), PLUS)
    source = torch.cat([digits(a, 2), plus, digits(b, 2)], dim=1)
    target = torch.cat([torch.full((len(a), 1), BOS), digits(a + b, 3), torch.full((len(a), 1), EOS)], dim=1)
    return TensorDataset(source, target)


class Adder(nn.Module):
    def __init__(self, d_model=48, nhead=4, ff=128):
        super().__init__()
        self.src_emb = nn.Embedding(VOCAB, d_model)
        self.tgt_emb = nn.Embedding(VOCAB, d_model)
        self.src_pos = nn.Parameter(torch.randn(1, 8, d_model) * 0.1)
        self.tgt_pos = nn.Parameter(torch.randn(1, 8, d_model) * 0.1)
        self.transformer = nn.Transformer(
            d_model,
            nhead,
            num_encoder_layers=1,
            num_decoder_layers=1,
            dim_feedforward=ff,
            dropout=0.0,
            batch_first=True,
        )
        self.generator = nn.Linear(d_model, VOCAB)

    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        s = self.src_emb(src) + self.src_pos[:, : src.size(1)]
        t = self.tgt_emb(tgt) + self.tgt_pos[:, : tgt.size(1)]
        return self.generator(self.transformer(s, t, tgt_mask=mask, tgt_is_causal=True))

    @torch.no_grad()
    def solve(self, src, steps):
        ys = torch.full((src.size(0), 1), BOS)
        for _ in range(steps):
            nxt = self(src, ys)[:, -1].argmax(-1, keepdim=True)
            ys = torch.cat([ys, nxt], dim=1)
        return ys


def evaluate(model, loader):
    model.eval()
    solved = total = 0
    for src, tgt in loader:
        out = model.solve(src, tgt.size(1) - 1)
        solved += (out == tgt).all(dim=1).sum().item()
        total += src.size(0)
    return solved / total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--limit", type=int, default=100)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=5)
    opts = p.parse_args()

    torch.manual_seed(opts.seed)
    dataset = build_dataset(opts.limit)
    n_test = len(dataset) // 10
    train_set, valid_set, test_set = random_split(dataset, [len(dataset) - 2 * n_test, n_test, n_test])
    train_src, train_tgt = dataset[train_set.indices]
    n_batches = len(train_set) // opts.batch
    valid_loader = DataLoader(valid_set, 500)
    test_loader = DataLoader(test_set, 500)

    model = Adder()
    for p_ in model.transformer.parameters():
        if p_.dim() > 1:
            nn.init.xavier_uniform_(p_)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=opts.lr, betas=(0.9, 0.98), eps=1e-9)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=opts.lr, total_steps=opts.epochs * n_batches, pct_start=0.1
    )

    for epoch in range(opts.epochs):
        model.train()
        losses = 0.0
        order = torch.randperm(len(train_set))[: n_batches * opts.batch]
        for idx in order.view(n_batches, opts.batch):
            src, tgt = train_src[idx], train_tgt[idx]
            logits = model(src, tgt[:, :-1])
            optimizer.zero_grad()
            loss = loss_fn(logits.reshape(-1, VOCAB), tgt[:, 1:].reshape(-1))
            loss.backward()
            optimizer.step()
            scheduler.step()
            losses += loss.item()
        print(
            f"Epoch: {epoch + 1}, Train loss: {losses / n_batches:.3f}, Val exact: {evaluate(model, valid_loader):.3f}"
        )
    print(f"Sums solved on the test split: {evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
