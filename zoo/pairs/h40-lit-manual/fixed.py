"""Manual optimisation in Lightning: autoencoder and classifier with one optimizer each on the digits."""
import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class CodeClassifier(L.LightningModule):
    """The autoencoder learns from reconstruction only; the classifier reads the detached code."""

    def __init__(self, code=24, lr_ae=2e-3, lr_clf=8e-3, steps_per_epoch=42, epochs=20):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.encoder = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, code))
        self.decoder = nn.Sequential(nn.Linear(code, 96), nn.ReLU(), nn.Linear(96, 64), nn.Sigmoid())
        self.classifier = nn.Sequential(nn.LayerNorm(code), nn.Linear(code, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.classifier(self.encoder(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        opt_ae, opt_clf = self.optimizers()
        sch_ae, sch_clf = self.lr_schedulers()

        code = self.encoder(x)
        recon = F.mse_loss(self.decoder(code), x)
        opt_ae.zero_grad()
        self.manual_backward(recon)
        self.clip_gradients(opt_ae, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        opt_ae.step()

        clf = F.cross_entropy(self.classifier(code.detach()), y)
        opt_clf.zero_grad()
        self.manual_backward(clf)
        opt_clf.step()

        sch_ae.step()
        sch_clf.step()
        self.log_dict({"recon": recon, "clf": clf}, on_step=False, on_epoch=True)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        code = self.encoder(x)
        self.log("val_recon", F.mse_loss(self.decoder(code), x))
        self.log("val_acc", (self.classifier(code).argmax(1) == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} recon {m['recon']:.4f} clf {m['clf']:.4f} "
              f"val recon {m['val_recon']:.4f} val acc {m['val_acc']:.4f}")

    def configure_optimizers(self):
        total = self.hparams.steps_per_epoch * self.hparams.epochs
        ae = list(self.encoder.parameters()) + list(self.decoder.parameters())
        opt_ae = torch.optim.Adam(ae, lr=self.hparams.lr_ae)
        opt_clf = torch.optim.Adam(self.classifier.parameters(), lr=self.hparams.lr_clf)
        schedulers = [torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=total, eta_min=1e-5)
                      for o in (opt_ae, opt_clf)]
        return [opt_ae, opt_clf], schedulers


def main():
    L.seed_everything(5, verbose=False)
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32)
    y = torch.tensor(y)
    x_train, x_val, y_train, y_val = train_test_split(x, y, test_size=0.25, stratify=y, random_state=1)
    train_loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True, drop_last=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=256)
    epochs = 20
    model = CodeClassifier(steps_per_epoch=len(train_loader), epochs=epochs)
    trainer = L.Trainer(max_epochs=epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(model, train_loader, val_loader)
    out = trainer.validate(model, val_loader, verbose=False)[0]
    print(f"final val accuracy {out['val_acc']:.4f}, reconstruction mse {out['val_recon']:.4f}")


if __name__ == "__main__":
    main()
