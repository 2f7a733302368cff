"""One fit: a model on some columns, trained on one part and scored on another."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from research.today.tabular.task import Task

Array = np.ndarray[Any, Any]
PENALTIES = tuple(10.0**power for power in range(-3, 6))
STAGES = (25, 50, 75, 100, 150)
TREES = 300


def fit_score(
    task: Task, model: str, columns: Any, parts: tuple[Array, Array, Array], seed: int
) -> dict[str, Any]:
    """Return the scores on validation (if there is any) and test, and how long it took.

    Parameters
    ----------
    model
        "forest" (300 trees), "forest-100", "boosting", "ridge" or "ridge-unscaled".
    parts
        Row numbers of train, validation (may be empty) and test.
    """
    started = time.perf_counter()
    targets = task.target.reshape(len(task.target), -1)
    found: list[dict[str, float]] = []
    for number in range(targets.shape[1]):
        target = targets[:, number]
        own = tuple(part[~np.isnan(target[part].astype(float))] for part in parts)
        if task.metric == "auc" and any(len(np.unique(target[part])) == 1 for part in own):
            continue  # a part with one class has no ROC curve
        found.append(_fit_one(task.metric, model, columns, target, own, seed))
    means = {key: float(np.mean([scores[key] for scores in found])) for key in found[0]}
    return means | {"fit_seconds": round(time.perf_counter() - started, 3)}


def _fit_one(metric: str, model: str, columns: Any, target: Array, parts: Any, seed: int) -> dict[str, float]:
    """Return the scores of one target."""
    train, validation, test = parts
    if model.startswith("ridge"):
        return _ridge(metric, columns, target, parts, scaled=model == "ridge")
    if model == "boosting":
        return _boosting(metric, columns, target, parts, seed)
    made = make_forest(metric, seed, int(model.partition("-")[2] or TREES))
    by_trees = metric == "auc" and not len(validation)
    if by_trees:  # every training row is predicted by the trees that have not seen it
        made.set_params(oob_score=True)
    made.fit(columns[train], target[train])
    scores = {"test": score(metric, target[test], _predict(metric, made, columns[test]))}
    if len(validation):
        scores["validation"] = score(metric, target[validation], _predict(metric, made, columns[validation]))
    elif by_trees:
        scores["validation"] = score(metric, target[train], made.oob_decision_function_[:, 1])
    return scores


def choose_columns(task: Task, model: str, choices: list[Any], train: Array, seed: int) -> int:
    """Return which of several columns a model predicts best on training rows it has not seen: no test row is used.

    A forest is scored on the rows that each tree has not seen, boosting by cross-validation in three parts.
    """
    inner = _inner_boosting if model == "boosting" else _inner_forest
    return int(np.argmax([inner(columns[train], task.target[train], seed) for columns in choices]))


def _inner_forest(columns: Any, target: Array, seed: int) -> float:
    """Return the accuracy of a forest on rows that a tree has not seen."""
    from sklearn.ensemble import RandomForestClassifier

    made = RandomForestClassifier(100, oob_score=True, random_state=seed).fit(columns, target)
    return float(made.oob_score_)


def _inner_boosting(columns: Any, target: Array, seed: int) -> float:
    """Return the mean accuracy of gradient boosting over three parts."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    made = HistGradientBoostingClassifier(max_iter=STAGES[3], early_stopping=False, random_state=seed)
    parts = StratifiedKFold(3, shuffle=True, random_state=seed)
    return float(cross_val_score(made, columns, target, cv=parts).mean())


def make_forest(metric: str, seed: int, trees: int = TREES) -> Any:
    """Return a forest that is not fitted."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    if metric in ("mae", "rmse"):
        return RandomForestRegressor(trees, max_features=0.1, min_samples_leaf=1, random_state=seed)
    if metric == "accuracy":
        return RandomForestClassifier(trees, random_state=seed)
    return RandomForestClassifier(
        trees, min_samples_leaf=2, class_weight="balanced_subsample", random_state=seed
    )


def _boosting(metric: str, columns: Any, target: Array, parts: Any, seed: int) -> dict[str, float]:
    """Return the scores of gradient boosting; the number of trees is chosen on validation where there is one."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    train, validation, test = parts
    options: dict[str, Any] = {"max_iter": STAGES[-1], "early_stopping": False, "random_state": seed}
    if columns.shape[1] > 500:
        options["max_features"] = 0.3
    if metric in ("mae", "rmse"):
        loss = "absolute_error" if metric == "mae" else "squared_error"
        made = HistGradientBoostingRegressor(loss=loss, **options)
    else:
        made = HistGradientBoostingClassifier(**options)
    made.fit(columns[train], target[train])
    found = {
        name: list(_staged(metric, made, columns[part], target[part]))
        for name, part in (("validation", validation), ("test", test))
        if len(part)
    }
    chosen = 3 if "validation" not in found else _best(metric, found["validation"])
    return {name: scores[chosen] for name, scores in found.items()}


def _staged(metric: str, made: Any, columns: Any, target: Array) -> Iterator[float]:
    """Yield the scores after each of the stages."""
    stages = made.staged_predict_proba(columns) if metric == "auc" else made.staged_predict(columns)
    for number, found in enumerate(stages, start=1):
        if number in STAGES:
            yield score(metric, target, found[:, 1] if metric == "auc" else found)


def _best(metric: str, scores: list[float]) -> int:
    """Return the position of the best score."""
    return int(np.argmin(scores) if metric in ("mae", "rmse") else np.argmax(scores))


def _ridge(metric: str, columns: Any, target: Array, parts: Any, *, scaled: bool = True) -> dict[str, float]:
    """Return the scores of ridge regression, its penalty chosen on validation; scaled columns have spread 1."""
    train, validation, test = parts
    mean, spread = columns[train].mean(axis=0), columns[train].std(axis=0)
    used = spread > 1e-6
    rows = ((columns[:, used] - mean[used]) / (spread[used] if scaled else 1)).astype(np.float64)
    offset = target[train].mean()
    gram, moment = rows[train].T @ rows[train], rows[train].T @ (target[train] - offset)
    values, vectors = np.linalg.eigh(gram)
    turned = vectors.T @ moment
    best: dict[str, float] = {}
    for penalty in PENALTIES:
        weights = vectors @ (turned / (np.maximum(values, 0) + penalty))
        scores = {
            name: score(metric, target[part], rows[part] @ weights + offset)
            for name, part in (("validation", validation), ("test", test))
        }
        if not best or is_better(metric, scores["validation"], best["validation"]):
            best = scores | {"penalty": penalty}
    return best


def _predict(metric: str, made: Any, columns: Any) -> Array:
    """Return what the metric takes: classes, the probability of the second class, or numbers."""
    if metric == "auc":
        return np.asarray(made.predict_proba(columns)[:, 1])
    return np.asarray(made.predict(columns))


def score(metric: str, target: Array, found: Array) -> float:
    """Return a score of predictions.

    Examples
    --------
    >>> score("accuracy", np.array([0, 1]), np.array([0, 0])), score("mae", np.array([0.0, 2.0]), np.array([1.0, 2.0]))
    (0.5, 0.5)
    """
    if metric == "accuracy":
        return float((target == found).mean())
    if metric == "mae":
        return float(np.abs(target - found).mean())
    if metric == "rmse":
        return float(np.sqrt(((target - found) ** 2).mean()))
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(target, found))


def is_better(metric: str, new: float, old: float) -> bool:
    """Return whether a score is better than another: errors are better if smaller.

    Examples
    --------
    >>> is_better("mae", 0.1, 0.2), is_better("auc", 0.1, 0.2)
    (True, False)
    """
    return new < old if metric in ("mae", "rmse") else new > old
