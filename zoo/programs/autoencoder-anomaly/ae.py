# Anomaly detection on machine vibration windows with a dense autoencoder.
# Train on normal windows only, flag windows with a large reconstruction error.
import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

rng = np.random.RandomState(0)
torch.manual_seed(0)

WINDOW = 48


def vibration(n_points):
    t = np.arange(n_points)
    speed = 0.30 + 0.03 * np.sin(2 * np.pi * t / 900)
    ph = np.cumsum(speed)
    load = 1 + 0.3 * np.sin(2 * np.pi * t / 1300)
    sig = load * np.sin(ph) + 0.5 * np.sin(2 * ph + 0.7) + 0.25 * np.sin(3 * ph)
    return sig + rng.normal(0, 0.12, n_points)


def windows(sig, hop):
    return np.stack([sig[i:i + WINDOW] for i in range(0, len(sig) - WINDOW + 1, hop)])


def inject_faults(w):
    """Half of the windows get one of four faults; returns windows and labels."""
    w = w.copy()
    y = (rng.rand(len(w)) < 0.5).astype(int)
    for i in np.flatnonzero(y):
        kind = rng.randint(4)
        if kind == 0:  # short burst
            s = rng.randint(0, WINDOW - 6)
            w[i, s:s + 6] += rng.normal(0, 0.4, 6)
        elif kind == 1:  # sensor sticks
            s = rng.randint(0, WINDOW - 6)
            w[i, s:s + 6] = w[i, s]
        elif kind == 2:  # new resonance
            w[i] += 0.15 * np.sin(1.9 * np.arange(WINDOW) + rng.uniform(0, 6))
        else:  # level shift
            s = rng.randint(10, WINDOW - 10)
            w[i, s:] += rng.choice([-0.25, 0.25])
    return w, y


signal = vibration(14000)
train_sig, val_sig, test_sig = signal[:8000], signal[8000:10000], signal[10000:]
mu, sd = train_sig.mean(), train_sig.std()
Xtr = torch.tensor((windows(train_sig, 4) - mu) / sd, dtype=torch.float32)
Xva = torch.tensor((windows(val_sig, 8) - mu) / sd, dtype=torch.float32)
test_w, y_test = inject_faults(windows(test_sig, 8))
Xte = torch.tensor((test_w - mu) / sd, dtype=torch.float32)
print("train", tuple(Xtr.shape), "val", tuple(Xva.shape), "test", tuple(Xte.shape), "faulty", int(y_test.sum()))


class AutoEncoder(nn.Module):
    def __init__(self, d=WINDOW, bottleneck=5):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 64), nn.ELU(), nn.Linear(64, 32), nn.ELU(), nn.Linear(32, bottleneck))
        self.decoder = nn.Sequential(nn.Linear(bottleneck, 32), nn.ELU(), nn.Linear(32, 64), nn.ELU(), nn.Linear(64, d))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def recon_error(ae, x):
    ae.eval()
    with torch.no_grad():
        return ((ae(x) - x) ** 2).mean(dim=1)


ae = AutoEncoder()
opt = torch.optim.Adam(ae.parameters(), lr=3e-3)
mse = nn.MSELoss()
loader = torch.utils.data.DataLoader(Xtr, batch_size=64, shuffle=True)
best, bad, patience = np.inf, 0, 6
for epoch in range(40):
    ae.train()
    for xb in loader:
        opt.zero_grad()
        loss = mse(ae(xb), xb)
        loss.backward()
        opt.step()
    v = recon_error(ae, Xva).mean().item()
    if v < best:
        best, bad = v, 0
        weights = {k: p.clone() for k, p in ae.state_dict().items()}
    else:
        bad += 1
        if bad > patience:
            print("stopping at epoch", epoch)
            break
    if epoch % 4 == 0:
        print(f"epoch {epoch:3d}  val reconstruction {v:.4f}")

ae.load_state_dict(weights)
threshold = torch.quantile(recon_error(ae, Xva), 0.98).item()
score = recon_error(ae, Xte).numpy()
flagged = score > threshold
print(f"threshold {threshold:.4f}: hit rate {flagged[y_test == 1].mean():.3f}, false alarms {flagged[y_test == 0].mean():.3f}")
print(f"ROC-AUC = {roc_auc_score(y_test, score):.4f}")
