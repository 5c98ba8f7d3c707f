"""Pure functions on arrays: what columns know of a target, how far two samples lie apart."""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from firstlight.data.hashing import Keys, mixed

TREES = 60
SEED = 0
FOLDS = 3
LEAST_LEAF = 5
"""Rows in a leaf: with fewer, a forest is surer than it is right."""
FEW = 12
"""Rows below which nothing is learnt."""
SCREENED = 60
"""Columns that are tried one by one; of more, those with the strongest simple relation to the target."""
CHANCE_COLUMNS = 40
CHANCE_PAIRS = 8
"""Columns, those with the fewest values, that are left out of a comparison singly, and in pairs."""
FACTORS = (
    10.0,
    100.0,
    1000.0,
    1e6,
    1e9,
    60.0,
    3600.0,
    24.0,
    12.0,
    2.20462,
    2.54,
    3.28084,
    1.60934,
    3.6,
    28.3495,
    1024.0,
)
"""Of units that are often mixed: powers of ten, time, pounds, inches, feet, miles, km/h, ounces."""
LEAST_OF_A_UNIT = 20
"""Different values in each cluster: fewer have no shape."""
UNSURE, MOST_UNSURE = 0.005, 0.1
"""How far the logarithms of a measured factor and of a unit's may lie apart, beside what chance gives, and at most."""
UNLIKELY = 1e-3
"""Probability below which so many pairs of equal rows are not put down to chance."""
TELLING = 0.5
"""Where half of the pairs of equal rows are to be expected, the estimate cannot tell the others from them."""


@dataclass(frozen=True, slots=True)
class TargetValues:
    values: Any
    """Codes of classes, or ranks of numbers between 0 and 1."""
    classes: tuple[str, ...] = ()
    """Names by code; empty for numbers."""


@dataclass(frozen=True, slots=True)
class Learnt:
    skill: float
    chances: Any = None
    """Of classes: for each row, the probability of each class by trees that had not seen the row."""


def learnt(inputs: Any, target: TargetValues, trees: int = TREES) -> Learnt:
    """What a forest makes of rows it has not seen: each tree leaves out a third of them."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    leaf = max(LEAST_LEAF, len(inputs) // 200)
    shared = {"n_estimators": trees, "min_samples_leaf": leaf, "oob_score": True, "random_state": SEED, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a row that every tree has seen is left out below
        if not target.classes:
            forest = RandomForestRegressor(max_features=1.0 if inputs.shape[1] < 30 else 0.34, **shared)
            forest.fit(inputs, target.values)
            return Learnt(skill_of(forest.oob_prediction_, target))
        forest = RandomForestClassifier(class_weight="balanced_subsample", **shared).fit(inputs, target.values)
    chances = np.zeros((len(inputs), len(target.classes)))
    chances[:, forest.classes_] = np.nan_to_num(forest.oob_decision_function_)
    return Learnt(skill_of(chances.argmax(axis=1), target), chances)


def skill_of(predicted: Any, target: TargetValues) -> float:
    """0 for a blind guess, 1 for always right. Classes count alike however rare they are; numbers by their ranks."""
    if not target.classes:
        total = float(np.var(target.values))
        left = float(np.mean(np.square(predicted - target.values)))
        return max(0.0, 1.0 - left / total) if total else 0.0
    present = np.unique(target.values)
    if len(present) < 2:
        return 0.0
    recalls = [float(np.mean(predicted[target.values == each] == each)) for each in present]
    guess = 1 / len(present)
    return max(0.0, (float(np.mean(recalls)) - guess) / (1 - guess))


def skill_alone(column: Any, target: TargetValues) -> float:
    """Of one column, by a small tree on folds it has not seen."""
    from sklearn.model_selection import cross_val_predict
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    leaf = max(3, len(column) // 200)
    tree = (
        DecisionTreeClassifier(min_samples_leaf=leaf, class_weight="balanced", random_state=SEED)
        if target.classes
        else DecisionTreeRegressor(min_samples_leaf=leaf, random_state=SEED)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds
        folds = shuffled_folds(len(column))
        return skill_of(cross_val_predict(tree, column.reshape(-1, 1), target.values, cv=folds), target)


def shuffled_folds(rows: int) -> list[tuple[Any, Any]]:
    order = np.random.default_rng(SEED).permutation(rows)
    parts = np.array_split(order, FOLDS)
    return [(np.concatenate(parts[:place] + parts[place + 1 :]), part) for place, part in enumerate(parts)]


def screened(inputs: Any, target: TargetValues, most: int = SCREENED) -> list[int]:
    """Columns worth trying alone: all of a few, of many those that correlate most."""
    if inputs.shape[1] <= most:
        return list(range(inputs.shape[1]))
    from sklearn.feature_selection import f_classif, f_regression

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # constant columns
        scores, _ = (f_classif if target.classes else f_regression)(inputs, target.values)
    return [int(place) for place in np.argsort(-np.nan_to_num(scores, nan=-1.0, posinf=np.inf))[:most]]


def moved_by(offset: int) -> tuple[slice, slice]:
    """Rows, and those so many after them."""
    if offset > 0:
        return slice(None, -offset), slice(offset, None)
    return slice(-offset, None), slice(None, offset or None)


def fitting_offsets(inputs: Any, target: TargetValues, farthest: int) -> list[int]:
    """Offsets other than 0, best first: by how the columns and their squares go with the targets of that row."""
    farthest = min(farthest, len(inputs) // 4)
    columns = np.concatenate([inputs, np.square(inputs - inputs.mean(axis=0))], axis=1).astype(np.float64)
    answers = np.eye(len(target.classes))[target.values] if target.classes else target.values[:, None]
    with np.errstate(all="ignore"):
        columns, answers = (np.nan_to_num((each - each.mean(axis=0)) / each.std(axis=0)) for each in (columns, answers))
    fits = {}
    for offset in (*range(-farthest, 0), *range(1, farthest + 1)):
        here, there = moved_by(offset)
        fits[offset] = float(np.square(columns[here].T @ answers[there] / (len(columns) - abs(offset))).sum())
    return sorted(fits, key=lambda each: -fits[each])


def distance_of_numbers(one: Any, other: Any) -> tuple[float, float]:
    """Kolmogorov and Smirnov's: the largest difference of the two distributions, and its p-value."""
    from scipy import stats

    if min(len(one), len(other)) < FEW:
        return 0.0, 1.0
    found = stats.ks_2samp(one, other, method="asymp")
    return float(found.statistic), float(found.pvalue)


def distance_of_counts(one: Sequence[int], other: Sequence[int]) -> tuple[float, float]:
    """Half the sum of the differences of shares, and the p-value of the χ² test."""
    from scipy import stats

    table = np.array([one, other], dtype=float)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or table.sum(axis=1).min() < FEW:
        return 0.0, 1.0
    shares = table / table.sum(axis=1, keepdims=True)
    return float(np.abs(shares[0] - shares[1]).sum() / 2), float(stats.chi2_contingency(table).pvalue)


def corrected(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's: of all that are told at q, a share of q is by chance."""
    from scipy import stats

    if not p_values:
        return []
    return [float(q) for q in stats.false_discovery_control(np.clip(p_values, 0.0, 1.0))]


def told_apart(one: Any, other: Any) -> tuple[float, Any]:
    """How often a forest ranks a row of `other`, unseen, above one of `one`; and the importance of each column."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    inputs = np.concatenate([one, other])
    split = np.repeat([0, 1], [len(one), len(other)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = RandomForestClassifier(
            n_estimators=TREES, min_samples_leaf=5, oob_score=True, random_state=SEED, class_weight="balanced"
        ).fit(inputs, split)
    chances = np.nan_to_num(forest.oob_decision_function_[:, 1], nan=0.5)
    return float(roc_auc_score(split, chances)), forest.feature_importances_


def isolation(numbers: Any) -> tuple[float, Any]:
    """How far apart from all others a few outermost values lie: the largest ratio between neighbouring distances from
    the middle, and which values are beyond it. 1 where nothing is apart."""
    if len(numbers) < 2 * FEW:
        return 1.0, np.empty(0, dtype=np.int64)
    distances = np.abs(numbers - np.median(numbers))
    order = np.argsort(distances, kind="stable")
    bulk = max(FEW, int(0.95 * len(numbers)))
    scale = max(float(distances[order[bulk - 1]]), 1e-300)
    ordered = np.maximum(distances[order[bulk - 1 :]], scale)
    with np.errstate(over="ignore"):
        ratios = ordered[1:] / ordered[:-1]
    if not len(ratios) or distances[order[bulk - 1]] == 0:
        return 1.0, np.empty(0, dtype=np.int64)
    place = int(np.argmax(ratios))
    return float(ratios[place]), order[bulk + place :]


@dataclass(frozen=True, slots=True)
class TwoUnits:
    """Values in two clusters of one shape, apart by the factor between two units."""

    factor: float
    rows: Any
    """Which values are in the smaller cluster."""


def two_units(numbers: Any) -> TwoUnits | None:
    from scipy import stats

    if len(numbers) < LEAST_OF_A_UNIT * 4 or not (numbers > 0).all():
        return None
    order = np.argsort(numbers, kind="stable")
    sizes = np.log(numbers[order])
    gaps = np.diff(sizes)
    cut = int(np.argmax(gaps)) + 1
    low, high = sizes[:cut], sizes[cut:]
    if min(len(np.unique(low)), len(np.unique(high))) < LEAST_OF_A_UNIT:
        return None
    apart = float(np.median(high) - np.median(low))
    if gaps[cut - 1] <= max(np.ptp(low), np.ptp(high)):
        return None
    unsure = UNSURE + 4 * float(np.hypot(low.std() / np.sqrt(len(low)), high.std() / np.sqrt(len(high))))
    factor = min(FACTORS, key=lambda each: abs(np.log(each) - apart))
    same = stats.ks_2samp(low + apart, high)
    if abs(np.log(factor) - apart) > min(unsure, MOST_UNSURE) or same.pvalue < UNLIKELY:
        return None
    return TwoUnits(factor, order[:cut] if len(low) <= len(high) else order[cut:])


def chance_of_copies(columns: Sequence[Keys], other: Sequence[Keys] | None = None) -> float:
    """Of the pairs of equal rows, the share that is to be expected without anything having been copied.

    Where rows are equal because their columns have few values, many more pairs differ in one column only, and in two.
    These tell how often a column agrees where the others do, and so how many pairs agree in all of them. With `other`,
    pairs are of a row of each.
    """
    from scipy import stats

    sides = [columns] if other is None else [columns, other]
    salted = [[mixed(each ^ np.uint64(place)) for place, each in enumerate(side)] for side in sides]
    totals: list[Any] = [np.sum(side, axis=0, dtype=np.uint64) for side in salted]
    equal, expected = _pairs(*totals), _expected_pairs(salted, totals)
    if equal == 0:
        return 1.0 if expected >= 1 else 0.0
    usual = float(stats.poisson.sf(equal - 1, expected)) > UNLIKELY
    return 1.0 if usual or expected >= TELLING * equal else expected / equal


def _expected_pairs(salted: list[list[Keys]], totals: list[Any]) -> float:
    """Pairs that differ in one column alone, times the odds that it agrees: by the values of that column, and by the
    pairs that differ in one more. The largest of these estimates."""

    def agreeing_without(*places: int) -> float:
        with np.errstate(over="ignore"):
            left = [total - sum(side[place] for place in places) for total, side in zip(totals, salted, strict=True)]
        return _pairs(*left)

    equal = agreeing_without()
    rows = [len(total) for total in totals]
    possible = max(1.0, rows[0] * rows[-1] / (2 if len(rows) == 1 else 1))
    collisions = [_pairs(*same) / possible for same in zip(*salted, strict=True)]
    coarsest = [place for place in np.argsort(collisions)[::-1] if 0 < collisions[place] < 1][:CHANCE_COLUMNS]
    alone = {place: agreeing_without(place) - equal for place in coarsest}
    found = [alone[place] * collisions[place] / (1 - collisions[place]) for place in coarsest]
    for one, two in itertools.combinations(coarsest[:CHANCE_PAIRS], 2):
        both = agreeing_without(one, two) - alone[one] - alone[two] - equal
        found.append(alone[one] * alone[two] / both if both > 0 else 0.0)
    return max(found, default=0.0)


def _pairs(one: Keys, other: Keys | None = None) -> float:
    different, counts = np.unique(one, return_counts=True)
    if other is None:
        return float((counts.astype(float) * (counts - 1)).sum() / 2)
    others, times = np.unique(other, return_counts=True)
    _, left, right = np.intersect1d(different, others, assume_unique=True, return_indices=True)
    return float((counts[left].astype(float) * times[right]).sum())
