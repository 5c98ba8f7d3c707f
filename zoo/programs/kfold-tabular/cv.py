import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

N_FOLDS = 5
EPOCHS = 10
BATCH = 32
PATIENCE = 4


def build_model(n_in, n_out):
    return torch.nn.Sequential(
        torch.nn.Linear(n_in, 64),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.1),
        torch.nn.Linear(64, 32),
        torch.nn.ReLU(),
        torch.nn.Linear(32, n_out),
    )


def run_fold(X_tr, y_tr, X_va, y_va, X_te, fold):
    scaler = StandardScaler()
    X_tr = torch.from_numpy(scaler.fit_transform(X_tr)).float()
    X_va = torch.from_numpy(scaler.transform(X_va)).float()
    X_te = torch.from_numpy(scaler.transform(X_te)).float()
    y_tr, y_va = torch.from_numpy(y_tr), torch.from_numpy(y_va)

    torch.manual_seed(100 + fold)
    clf = build_model(X_tr.shape[1], 4)
    weights = 1.0 / torch.bincount(y_tr, minlength=4).float()
    criterion = torch.nn.CrossEntropyLoss(weight=weights / weights.mean())
    optimizer = torch.optim.RMSprop(clf.parameters(), lr=3e-3)

    best_loss, best_weights, bad = float("inf"), None, 0
    for epoch in range(EPOCHS):
        clf.train()
        for idx in torch.randperm(len(X_tr)).split(BATCH):
            optimizer.zero_grad()
            criterion(clf(X_tr[idx]), y_tr[idx]).backward()
            optimizer.step()

        clf.eval()
        with torch.no_grad():
            val_loss = criterion(clf(X_va), y_va).item()
        if val_loss < best_loss:
            best_loss, bad = val_loss, 0
            best_weights = {k: v.clone() for k, v in clf.state_dict().items()}
        else:
            bad += 1
            if bad >= PATIENCE:
                break

    clf.load_state_dict(best_weights)
    clf.eval()
    with torch.no_grad():
        return clf(X_te).argmax(1).numpy(), epoch + 1


def main():
    X, y = make_classification(
        n_samples=1300, n_features=16, n_informative=9, n_redundant=3, n_classes=4, n_clusters_per_class=2,
        weights=[0.4, 0.25, 0.2, 0.15], class_sep=1.6, flip_y=0.02, random_state=31,
    )
    scores = []
    skf = StratifiedKFold(n_splits=N_FOLDS, shuffle=True, random_state=31)
    for fold, (train_idx, test_idx) in enumerate(skf.split(X, y)):
        # an eighth of the training part decides when to stop
        rng = np.random.default_rng(fold)
        shuffled = rng.permutation(train_idx)
        n_val = len(shuffled) // 8
        val_idx, fit_idx = shuffled[:n_val], shuffled[n_val:]
        pred, n_epochs = run_fold(X[fit_idx], y[fit_idx], X[val_idx], y[val_idx], X[test_idx], fold)
        score = balanced_accuracy_score(y[test_idx], pred)
        scores.append(score)
        print(f"Fold {fold + 1}/{N_FOLDS}: balanced accuracy {score:.4f} ({n_epochs} epochs)")

    print(f"CV balanced accuracy: {np.mean(scores):.4f} +/- {np.std(scores):.4f}")


if __name__ == "__main__":
    main()
