"""Balances two classes and splits the data."""

import torch
from imblearn.over_sampling import SMOTE
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

torch.manual_seed(0)

features, labels = make_classification(weights=[0.9])
features, labels = SMOTE().fit_resample(features, labels)
train_x, test_x, train_y, test_y = train_test_split(features, labels)
