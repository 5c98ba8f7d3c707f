"""Splits the data and balances two classes of the training part."""

import torch
from imblearn.over_sampling import SMOTE
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

torch.manual_seed(0)

features, labels = make_classification(weights=[0.9])
train_x, test_x, train_y, test_y = train_test_split(features, labels)
train_x, train_y = SMOTE().fit_resample(train_x, train_y)
