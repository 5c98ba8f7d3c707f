"""Lightning, manual optimization: an encoder that keeps the digit and forgets a nuisance bit (adversary)."""
import logging
import tempfile
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def make(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 4, (n,), generator=g)
    s = torch.randint(0, 2, (n,), generator=g)
    x = torch.randn(n, 12, generator=g) * 0.6
    x[torch.arange(n), y] += 2.0
    x[:, 6] += 1.5 * (s * 2 - 1)
    return TensorDataset(x, y, s)


class Forgetful(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.enc = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
        self.cls = nn.Linear(8, 4)
        self.adv = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))

    def training_step(self, batch, i):
        x, y, s = batch
        opt_main, opt_adv = self.optimizers()
        for _ in range(2):
            adv_loss = F.cross_entropy(self.adv(self.enc(x).detach()), s)
            opt_adv.zero_grad()
            self.manual_backward(adv_loss)
            opt_adv.step()
        self.toggle_optimizer(opt_main)
        z = self.enc(x)
        logp = F.log_softmax(self.adv(z), -1)
        cls_loss = F.cross_entropy(self.cls(z), y)
        loss = cls_loss - logp.mean()
        opt_main.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(opt_main, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        opt_main.step()
        self.untoggle_optimizer(opt_main)
        if i == 0:
            print(f"epoch {self.current_epoch}  cls {cls_loss.item():.4f}  adversary {adv_loss.item():.4f}")

    def configure_optimizers(self):
        main = torch.optim.Adam([*self.enc.parameters(), *self.cls.parameters()], lr=2e-3)
        return main, torch.optim.Adam(self.adv.parameters(), lr=4e-3)


if __name__ == "__main__":
    torch.set_num_threads(1)
    L.seed_everything(0, verbose=False)
    net = Forgetful()
    with tempfile.TemporaryDirectory() as tmp:
        trainer = L.Trainer(max_epochs=6, accelerator="cpu", logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp)
        trainer.fit(net, DataLoader(make(3200, 0), batch_size=64, shuffle=True))
    net.eval()
    x, y, s = make(1000, 1).tensors
    with torch.no_grad():
        z = net.enc(x)
        acc = (net.cls(z).argmax(1) == y).float().mean().item()
        leak = (net.adv(z).argmax(1) == s).float().mean().item()
    print(f"held-out class accuracy {acc:.4f}  adversary accuracy {leak:.4f}")
