import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from reviews import make_reviews
from vocab import Vocab


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_classes):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, mode="mean")
        self.hidden = nn.Linear(embed_dim, 32)
        self.fc = nn.Linear(32, num_classes)
        self.init_weights()

    def init_weights(self):
        self.embedding.weight.data.uniform_(-0.3, 0.3)

    def forward(self, text, offsets):
        return self.fc(torch.relu(self.hidden(self.embedding(text, offsets))))


def make_collate(vocab):
    def collate_batch(batch):
        labels, texts, offsets = [], [], [0]
        for review, label in batch:
            ids = torch.tensor(vocab.encode(review), dtype=torch.int64)
            texts.append(ids)
            labels.append(label)
            offsets.append(ids.size(0))
        offsets = torch.tensor(offsets[:-1]).cumsum(dim=0)
        return torch.tensor(labels), torch.cat(texts), offsets

    return collate_batch


def train_epoch(dataloader, model, criterion, optimizer, epoch, log_interval=40):
    model.train()
    total_acc, total_count = 0, 0
    for idx, (label, text, offsets) in enumerate(dataloader):
        optimizer.zero_grad()
        out = model(text, offsets)
        loss = criterion(out, label)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total_acc += (out.argmax(1) == label).sum().item()
        total_count += label.size(0)
        if idx % log_interval == 0 and idx > 0:
            print(
                f"| epoch {epoch:3d} | {idx:5d}/{len(dataloader):5d} batches | accuracy {total_acc / total_count:8.3f}"
            )
            total_acc, total_count = 0, 0


def evaluate(dataloader, model):
    model.eval()
    total_acc, total_count = 0, 0
    with torch.no_grad():
        for label, text, offsets in dataloader:
            total_acc += (model(text, offsets).argmax(1) == label).sum().item()
            total_count += label.size(0)
    return total_acc / total_count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    data = list(dict.fromkeys(make_reviews(3000, seed=args.seed)))
    n_test, n_val = 800, 400
    test, val, train = data[:n_test], data[n_test : n_test + n_val], data[n_test + n_val :]
    vocab = Vocab.from_texts(t for t, _ in train)
    print(f"{len(train)} train / {len(val)} val / {len(test)} test reviews, vocabulary of {len(vocab)}")

    collate = make_collate(vocab)
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val, batch_size=200, collate_fn=collate)
    test_loader = DataLoader(test, batch_size=200, collate_fn=collate)

    model = TextClassifier(len(vocab), 24, 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.4)

    best = None
    for epoch in range(1, args.epochs + 1):
        train_epoch(train_loader, model, criterion, optimizer, epoch)
        acc_val = evaluate(val_loader, model)
        if best is not None and acc_val < best:
            scheduler.step()
        else:
            best = acc_val
        print("-" * 59)
        print(f"| end of epoch {epoch:3d} | valid accuracy {acc_val:8.3f}")
        print("-" * 59)

    print(f"test accuracy {evaluate(test_loader, model):.4f}")


if __name__ == "__main__":
    main()
