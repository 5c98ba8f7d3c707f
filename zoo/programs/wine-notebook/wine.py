# %% [markdown]
# # Wine cultivars
# Three cultivars, 13 chemical measurements, 178 bottles. Small data, so a small net with a bit of weight decay.

# %%
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

torch.manual_seed(1)

# %%
wine = load_wine()
print(wine.data.shape, np.bincount(wine.target))
print(wine.feature_names)

# %% [markdown]
# Keep half of the bottles for testing. Only six columns: the colour and proline make it too easy.

# %%
cols = [wine.feature_names.index(c) for c in ["malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "hue"]]
X_train, X_test, y_train, y_test = train_test_split(
    wine.data[:, cols], wine.target, test_size=0.5, random_state=10, stratify=wine.target)

# %%
m = X_train.mean(axis=0)
s = X_train.std(axis=0)
X_train = torch.tensor((X_train - m) / s, dtype=torch.float)
X_test = torch.tensor((X_test - m) / s, dtype=torch.float)
y_train = torch.tensor(y_train, dtype=torch.long)
y_test = torch.tensor(y_test, dtype=torch.long)
X_train.shape, X_test.shape

# %%
model = nn.Sequential(
    nn.Linear(len(cols), 20),
    nn.ReLU(),
    nn.Linear(20, 3),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=3e-3)

# %%
train_losses = []
test_accs = []
for epoch in range(1, 101):
    model.train()
    perm = torch.randperm(len(X_train))
    epoch_loss = 0
    for i in range(0, len(X_train), 16):
        b = perm[i:i + 16]
        optimizer.zero_grad()
        out = model(X_train[b])
        loss = criterion(out, y_train[b])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(b)
    train_losses.append(epoch_loss / len(X_train))

    model.eval()
    with torch.no_grad():
        acc = (model(X_test).argmax(1) == y_test).float().mean().item()
    test_accs.append(acc)
    if epoch % 10 == 0:
        print('Epoch {:3d}  loss {:.4f}  test acc {:.4f}'.format(epoch, train_losses[-1], acc))

# %% [markdown]
# ## How did it go?

# %%
model.eval()
with torch.no_grad():
    y_pred = model(X_test).argmax(1)
print(confusion_matrix(y_test, y_pred))

# %%
# average of the last ten epochs, the test half is small
print('Accuracy on the test half:', round(float(np.mean(test_accs[-10:])), 4))
