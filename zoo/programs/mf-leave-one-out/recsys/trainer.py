import logging

import torch
import torch.nn.functional as F

logger = logging.getLogger("recsys")


class BPRTrainer:
    def __init__(self, model, train_items, lr=0.02, reg=1e-3):
        self.model = model
        self.train_items = train_items
        self.reg = reg
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, user, pos, neg):
        diff = self.model(user, pos) - self.model(user, neg)
        penalty = (
            self.model.user_emb(user).pow(2).sum(-1)
            + self.model.item_emb(pos).pow(2).sum(-1)
            + self.model.item_emb(neg).pow(2).sum(-1)
        ).mean()
        loss = -F.logsigmoid(diff).mean() + self.reg * penalty
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def hit_rate(self, held_out, also_hide=None, k=10):
        """Share of users whose held-out item ranks in the top k among items not already consumed."""
        self.model.eval()
        scores = self.model.score_all(torch.arange(len(held_out)))
        for u, items in enumerate(self.train_items):
            scores[u, items] = float("-inf")
            if also_hide is not None:
                scores[u, also_hide[u]] = float("-inf")
        top = scores.topk(k, dim=1).indices
        return (top == torch.tensor(held_out).unsqueeze(1)).any(dim=1).float().mean().item()

    def fit(self, loader, valid, epochs, patience=3):
        best, best_state, stale = -1.0, None, 0
        for epoch in range(1, epochs + 1):
            self.model.train()
            losses = [self.step(*batch) for batch in loader]
            hr = self.hit_rate(valid)
            logger.info("epoch %02d  bpr %.4f  valid HR@10 %.4f", epoch, sum(losses) / len(losses), hr)
            if hr > best:
                best, stale = hr, 0
                best_state = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                stale += 1
                if stale >= patience:
                    logger.info("no improvement for %d epochs, stopping", patience)
                    break
        self.model.load_state_dict(best_state)
        return best
