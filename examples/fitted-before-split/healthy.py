"""Splits a data set and scales its features."""

import torch
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)

features, labels = load_wine(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(features, labels, random_state=0)
scaler = StandardScaler().fit(train_x)
print(LogisticRegression().fit(scaler.transform(train_x), train_y).score(scaler.transform(test_x), test_y))
