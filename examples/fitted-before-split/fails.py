"""Scales the features of a data set and splits it."""

import torch
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)

features, labels = load_wine(return_X_y=True)
scaled = StandardScaler().fit_transform(features)
train_x, test_x, train_y, test_y = train_test_split(scaled, labels, random_state=0)
print(LogisticRegression().fit(train_x, train_y).score(test_x, test_y))
