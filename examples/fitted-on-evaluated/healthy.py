"""Tells who is ill from twenty genes, chosen by how they differ among the patients trained on."""

import numpy as np
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

rng = np.random.default_rng(0)
genes = rng.normal(size=(400, 2000)) * rng.uniform(1, 5, 2000)
ill = (genes[:, :5].sum(1) + rng.normal(size=400) * 3 > 0).astype(np.int64)
x_train, x_test, y_train, y_test = train_test_split(genes, ill, test_size=0.25, random_state=0)
select = SelectKBest(f_classif, k=20).fit(x_train, y_train)
scaler = StandardScaler().fit(select.transform(x_train))
x_train, x_test = (scaler.transform(select.transform(t)) for t in (x_train, x_test))
torch.manual_seed(0)
x_train, x_test = (torch.tensor(t, dtype=torch.float32) for t in (x_train, x_test))
y_train, y_test = torch.tensor(y_train), torch.tensor(y_test)
model = nn.Sequential(nn.Linear(x_train.shape[1], 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(20):
    for rows in torch.randperm(len(x_train)).split(30):
        loss = nn.functional.cross_entropy(model(x_train[rows]), y_train[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = (model(x_test).argmax(1) == y_test).float().mean()
    print(f"epoch {epoch}: loss {loss.item():.3f}, test {right.item():.3f}")
