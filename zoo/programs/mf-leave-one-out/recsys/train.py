import argparse
import logging
import sys

import torch
from torch.utils.data import DataLoader

from .data import PairwiseDataset, leave_one_out, synthesize
from .model import BiasedMF
from .trainer import BPRTrainer

logger = logging.getLogger("recsys")


def parse_args():
    p = argparse.ArgumentParser(prog="recsys.train")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--dim", type=int, default=12)
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", stream=sys.stdout)
    torch.manual_seed(args.seed)

    history, n_users, n_items = synthesize(seed=args.seed)
    train, valid, test = leave_one_out(history)
    logger.info("%d users, %d items, %d training interactions", n_users, n_items, sum(map(len, train)))

    dataset = PairwiseDataset(train, n_items, seed=args.seed)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    model = BiasedMF(n_users, n_items, args.dim)
    trainer = BPRTrainer(model, train, lr=args.lr)

    trainer.fit(loader, valid, args.epochs)
    logger.info("test HR@10 = %.4f", trainer.hit_rate(test, also_hide=valid))


if __name__ == "__main__":
    main()
