# %% Denoising autoencoder on digits with tied encoder/decoder weights, grey levels as Bernoulli targets
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(17)
X = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
perm = torch.randperm(len(X))
X_train, X_val = X[perm[:1400]], X[perm[1400:]]
noise = torch.Generator().manual_seed(0)
X_val_noisy = X_val * (torch.rand(X_val.shape, generator=noise) > 0.3)


# %%
class TiedAutoencoder(nn.Module):
    """The decoder uses the transposed encoder matrices; only its biases are its own."""

    def __init__(self, sizes=(64, 96, 32)):
        super().__init__()
        self.encoder = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))
        self.decoder_bias = nn.ParameterList(nn.Parameter(torch.zeros(a)) for a in sizes[:-1])

    def forward(self, x):
        for layer in self.encoder:
            x = torch.tanh(layer(x))
        for k in range(len(self.encoder) - 1, -1, -1):
            x = F.linear(x, self.encoder[k].weight.t(), self.decoder_bias[k])
            if k > 0:
                x = torch.tanh(x)
        return x


def corrupt(x):
    return x * (torch.rand_like(x) > 0.3)


# %%
model = TiedAutoencoder()
with torch.no_grad():
    pixel_mean = X_train.mean(0).clamp(0.01, 0.99)
    model.decoder_bias[0].copy_(torch.logit(pixel_mean))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

floor = F.binary_cross_entropy(X_val.clamp(1e-6, 1 - 1e-6), X_val).item()
print(f"lowest reachable bce {floor:.4f}, mean image mse {(X_val - pixel_mean).pow(2).mean():.4f}, "
      f"noisy input mse {(X_val - X_val_noisy).pow(2).mean():.4f}")

# %%
for epoch in range(60):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(X_train)).split(32):
        batch = X_train[idx]
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(corrupt(batch)), batch)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        restored = torch.sigmoid(model(X_val_noisy))
        mse = (restored - X_val).pow(2).mean().item()
    print(f"epoch {epoch:2d}  train bce {total / len(X_train):.4f}  val mse {mse:.4f}")
