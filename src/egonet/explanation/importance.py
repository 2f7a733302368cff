"""`explain_model`: which columns a fitted model relies on, grouped by what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from egonet.checks import as_whole, one_of
from egonet.encoding.encoding import Encoding
from egonet.encoding.request import as_vocabulary
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import (
    Vocabulary,
    bin_degrees,
    column_texts,
    ends_text,
    fields_text,
    is_ends_key,
    who_text,
)
from egonet.errors import InputError, require_extra, show_value
from egonet.graph.columns import as_numpy
from egonet.notebook import html_table
from egonet.typing import Floats

if TYPE_CHECKING:
    import pandas

Method: TypeAlias = Literal["coefficients", "permutation", "shap", "impurity"]
#: Permutation and SHAP are measured on at most this many rows, chosen at random; every group is shuffled REPEATS times.
MAX_ROWS, REPEATS = 2_000, 5
_FORESTS = ("sklearn.tree", "sklearn.ensemble._forest", "sklearn.ensemble._gb", "sklearn.ensemble._hist")
_SHAP_MODELS = (*_FORESTS, "xgboost", "lightgbm", "catboost")


@dataclass(frozen=True)
class ModelExplanation:
    """The strongest columns of a model; prints as text and shows as HTML in a notebook.

    Attributes
    ----------
    parts
        For every output of the model: what it is, and its strongest (text, weight), strongest first.
    method
        "coefficients" of a linear model; "permutation": the loss of score if the columns of a group are shuffled;
        "shap": the mean absolute SHAP value of a group; "impurity": the importance measured while training.
    sentence
        The result as a sentence.
    """

    parts: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    method: Method = "coefficients"
    sentence: str = ""

    def __str__(self) -> str:
        """Return the sentence, then a line per column or group under each output."""
        lines = [self.sentence] if self.sentence else []
        for title, terms in self.parts:
            lines.append(title)
            lines += [f"  {weight:+.3f}  {text}" for text, weight in terms]
        return "\n".join(lines)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row per column or group: output, meaning, weight."""
        rows = [(title, text, weight) for title, terms in self.parts for text, weight in terms]
        return require_extra("pandas", extra=None).DataFrame(rows, columns=["output", "meaning", "weight"])

    def _repr_html_(self) -> str:
        """Return a table for a notebook, with every label escaped."""
        rows = [
            (title if first == 0 else "", f"{weight:+.3f}", text)
            for title, terms in self.parts
            for first, (text, weight) in enumerate(terms)
        ]
        return html_table(self.sentence or "Strongest columns", rows, header=("output", "weight", "meaning"))


@dataclass(frozen=True)
class _Columns:
    """The columns that a model was fitted on: each as text, and what it means with others of its kind."""

    texts: list[str]
    meanings: list[str]


def explain_model(
    model: Any,
    vocabulary: Vocabulary | Encoding | None = None,
    *,
    X: Any = None,  # noqa: N803
    y: Any = None,
    top: int = 10,
    method: Method | None = None,
    random_state: int = 0,
) -> ModelExplanation:
    """Return what a fitted model relies on, as text: the strongest columns, or groups of columns that mean the same.

    Parameters
    ----------
    model
        A fitted model, or a pipeline (or search) that ends in one and has an encoder of `egonet.sklearn` in it, also
        inside a `ColumnTransformer`. For a linear model, steps in between may reduce columns linearly (`components_`),
        which is undone; other steps must keep the columns.
    vocabulary
        The columns the model was fitted on, if the model is not a pipeline.
    X, y
        For models without coefficients, such as forests and boosting: the rows to measure on, preferably rows that the
        model was not trained on, and their classes or values. X is the pipeline's input, an encoding or its matrix.
    top
        How many columns or groups for each output of the model.
    method
        "coefficients" for linear models; "permutation" (needs X and y); "shap" (needs X and the package `shap`);
        "impurity" (needs no data; favors columns with many values). If not given: the coefficients if there are
        any, SHAP if the package is there and the model is made of trees, otherwise permutation.
    random_state
        The seed of the shuffling.

    Examples
    --------
    >>> import egonet
    >>> from sklearn.linear_model import LogisticRegression
    >>> encoding = egonet.encode(egonet.named.star(3), radius=1)
    >>> model = LogisticRegression().fit(encoding.matrix, ["hub", "leaf", "leaf", "leaf"])
    >>> print(explain_model(model, encoding.vocabulary, top=1))  # doctest: +ELLIPSIS
    for 'leaf' (+) or 'hub' (-)
      -0.7...  distance 1, degree 1

    A forest, by how much of its accuracy is lost if a group of columns is shuffled:

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> encoding = egonet.encode(egonet.named.star(20), radius=0)
    >>> kinds = ["hub"] + 20 * ["leaf"]
    >>> forest = RandomForestClassifier(random_state=0).fit(encoding.matrix, kinds)
    >>> print(explain_model(forest, encoding, X=encoding, y=kinds, top=1, method="permutation"))
    the model relies most on: own degree 1
    loss of score (1.000) when a group of columns is shuffled, 21 rows
      +0.048  own degree 1
    """
    if method is not None:
        one_of("method", method, get_args(Method))
    top, random_state = as_whole("top", top), as_whole("random_state", random_state)
    model = getattr(model, "best_estimator_", model)
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    columns_given = as_vocabulary(vocabulary)
    if method == "coefficients" or (method is None and hasattr(steps[-1], "coef_")):
        return _explain_linear(model, steps, columns_given, top)
    columns = _columns(model, steps, columns_given)
    measured = X is not None
    if method is None:
        has_trees = type(steps[-1]).__module__.startswith(_SHAP_MODELS)
        by_shap = measured and has_trees and find_spec("shap") is not None
        method = "shap" if by_shap else "permutation" if measured and y is not None else "impurity"
    if method == "impurity":
        return _explain_impurity(steps[-1], columns, top)
    if not measured or (method == "permutation" and y is None):
        needs = "X and y" if method == "permutation" else "X"
        raise InputError(f'method="{method}" needs {needs}: the rows to measure on. Give {needs}.')
    rows, target = _rows(model, steps, X, y, random_state)
    if rows.shape[1] != len(columns.texts):
        raise InputError(
            f"X has {rows.shape[1]:,} columns, but the model was fitted on {len(columns.texts):,}. "
            "Give the vocabulary it was fitted on."
        )
    explain = _explain_shap if method == "shap" else _explain_permutation
    return explain(steps[-1], rows, target, columns, top, random_state)


def _explain_linear(
    model: Any, steps: list[Any], vocabulary: Vocabulary | None, top: int
) -> ModelExplanation:
    coefficients, texts, classes = _linear(model, steps, vocabulary)
    if coefficients.shape[1] != len(texts):
        raise InputError(
            f"the model has {coefficients.shape[1]:,} coefficients, but there are {len(texts):,} columns. "
            "Give the vocabulary it was fitted on."
        )
    parts = []
    for number, row in enumerate(coefficients):
        strongest = np.argsort(-np.abs(row), kind="stable")[:top]
        terms = tuple((texts[column], float(row[column])) for column in strongest if row[column])
        parts.append((_title(classes, number), terms))
    return ModelExplanation(tuple(parts))


def _linear(
    model: Any, steps: list[Any], vocabulary: Vocabulary | None
) -> tuple[Floats, list[str], Sequence[Any] | None]:
    """Return the coefficients on encoding columns (a row per output), the columns as text, and the classes."""
    last = steps[-1]
    if not hasattr(last, "coef_"):
        raise InputError(f"explain_model takes a fitted linear model with coef_, got {type(last).__name__}.")
    coefficients = np.atleast_2d(np.asarray(last.coef_, dtype=np.float64))
    where = next((index for index, step in enumerate(steps) if _is_encoder(step)), None)
    for step in reversed(steps[0 if where is None else where + 1 : -1]):
        if hasattr(step, "components_"):
            coefficients = coefficients @ step.components_
    if vocabulary is not None:
        texts = column_texts(vocabulary)
    elif where is not None:
        texts = _encoder_texts(steps[where])
    else:
        texts = _columns(model, steps, None).texts
    return coefficients, texts, getattr(last, "classes_", None)


def _explain_impurity(last: Any, columns: _Columns, top: int) -> ModelExplanation:
    """Return the importances that a model of trees measured while training, added up by meaning."""
    values = getattr(last, "feature_importances_", None)
    if values is None:
        raise InputError(
            f"{type(last).__name__} has neither coefficients nor importances. "
            "Give X and y, the rows to measure on."
        )
    values = np.asarray(values, dtype=np.float64)
    if len(values) != len(columns.texts):
        raise InputError(
            f"the model has {len(values):,} importances, but there are {len(columns.texts):,} columns. "
            "Give the vocabulary it was fitted on."
        )
    groups = _groups(columns)
    terms = [(name, float(values[members].sum())) for name, members in groups.items()]
    return _explanation(terms, "share of the importance measured while training", "impurity", top)


def _explain_permutation(
    last: Any, rows: Floats, target: Any, columns: _Columns, top: int, random_state: int
) -> ModelExplanation:
    """Return by how much the score falls if all columns of a group are shuffled together."""
    rng = np.random.default_rng(random_state)
    base = float(last.score(rows, target))
    orders = [rng.permutation(len(rows)) for _ in range(REPEATS)]
    terms = []
    for name, members in _groups(columns).items():
        losses = []
        for order in orders:
            shuffled = rows.copy()
            shuffled[:, members] = rows[order][:, members]
            losses.append(base - float(last.score(shuffled, target)))
        terms.append((name, float(np.mean(losses))))
    title = f"loss of score ({base:.3f}) when a group of columns is shuffled, {len(rows):,} rows"
    return _explanation(terms, title, "permutation", top)


def _explain_shap(
    last: Any, rows: Floats, _target: Any, columns: _Columns, top: int, _random_state: int
) -> ModelExplanation:
    """Return the mean absolute SHAP value of every group: the values of its columns added up, per row and output."""
    shap = require_extra("shap", extra=None)
    values = np.asarray(shap.TreeExplainer(last)(rows, check_additivity=False).values, dtype=np.float64)
    values = values.reshape(*values.shape[:2], -1)  # rows, columns, outputs
    terms = [
        (name, float(np.abs(values[:, members].sum(axis=1)).mean()))
        for name, members in _groups(columns).items()
    ]
    title = f"mean absolute SHAP value of a group of columns, {len(rows):,} rows"
    return _explanation(terms, title, "shap", top)


def _explanation(terms: list[tuple[str, float]], title: str, method: Method, top: int) -> ModelExplanation:
    """Return the strongest groups, and the first three in a sentence."""
    strongest = [(name, value) for name, value in sorted(terms, key=lambda term: -term[1]) if value > 0][:top]
    if strongest:
        sentence = f"the model relies most on: {'; '.join(name for name, _ in strongest[:3])}"
    else:
        sentence = "no group of columns makes a difference to the model"
    return ModelExplanation(((title, tuple(strongest)),), method, sentence)


def _groups(columns: _Columns) -> dict[str, list[int]]:
    """Return the columns of each meaning, in column order."""
    groups: dict[str, list[int]] = {}
    for index, meaning in enumerate(columns.meanings):
        groups.setdefault(meaning, []).append(index)
    return groups


def _rows(model: Any, steps: list[Any], data: Any, y: Any, random_state: int) -> tuple[Floats, Any]:
    """Return what the last step is given for X, dense and at most `MAX_ROWS` rows of it, and their targets."""
    rows = model[:-1].transform(data) if len(steps) > 1 else data
    rows = as_numpy(rows.matrix if isinstance(rows, Encoding) else rows)
    try:
        rows = rows if hasattr(rows, "shape") else np.asarray(rows)
    except ValueError:  # lists of different lengths
        rows = np.empty(0)
    if len(rows.shape) != 2 or not rows.shape[0]:
        raise InputError(
            f"X must be rows of numbers: an encoding, its matrix or a table, got {show_value(data)}."
        )
    target = None if y is None else np.asarray(as_numpy(y))
    if target is not None and target.shape[:1] != rows.shape[:1]:
        raise InputError(f"y must have one value per row of X: {rows.shape[0]:,}, got {show_value(y)}.")
    if rows.shape[0] > MAX_ROWS:
        chosen = np.sort(np.random.default_rng(random_state).permutation(rows.shape[0])[:MAX_ROWS])
        rows = rows.iloc[chosen] if hasattr(rows, "iloc") else rows[chosen]
        target = None if target is None else target[chosen]
    dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    try:
        return dense.astype(np.float64), target
    except (TypeError, ValueError):
        raise InputError(f"X must be rows of numbers, got an array of {dense.dtype}.") from None


def _columns(model: Any, steps: list[Any], vocabulary: Vocabulary | None) -> _Columns:
    """Return the columns that the last step was fitted on."""
    if vocabulary is not None:
        return _Columns(column_texts(vocabulary), meanings(vocabulary))
    named: dict[str, tuple[str, str]] = {}
    for encoder in _encoders(steps[:-1]):
        texts = _encoder_texts(encoder)
        learned = getattr(encoder, "vocabulary_", None)  # bags have one for each radius
        grouped = meanings(learned) if learned is not None and len(texts) == len(learned) else texts
        names = encoder.get_feature_names_out().tolist()
        named.update(zip(names, zip(texts, grouped, strict=True), strict=True))
    if not named:
        raise InputError(
            "explain_model needs the columns of the model. Give vocabulary=, or a pipeline with an encoder."
        )
    feature_names = [str(name) for name in model[:-1].get_feature_names_out()]
    pairs = [named.get(name) or named.get(name.rpartition("__")[2]) or (name, name) for name in feature_names]
    return _Columns([text for text, _ in pairs], [meaning for _, meaning in pairs])


def _encoders(steps: list[Any]) -> list[Any]:
    """Return the fitted encoders among some steps, those inside column transformers and unions included."""
    encoders = []
    for step in steps:
        if _is_encoder(step):
            encoders.append(step)
            continue
        inner: Any = ()
        for name in ("transformers_", "transformer_list", "steps"):
            inner = inner or getattr(step, name, ())
        encoders += _encoders([part[1] for part in inner if not isinstance(part[1], str)])
    return encoders


def meanings(vocabulary: Vocabulary) -> list[str]:
    """Return what every column means as text, with degrees in bins, so that columns of equal meaning are equal.

    >>> import egonet
    >>> meanings(egonet.encode(egonet.named.star(5), radius=1).vocabulary)
    ['own degree 1', 'own degree 4 to 7', 'neighbors of degree 1']
    """
    settings = vocabulary.settings
    bins = settings.degree_bins or "log"
    coarse: Settings = replace(settings, degree_bins=bins, layout="observed", common=False, rooted="node")
    keys = bin_degrees(vocabulary.keys[:, 1:], coarse).tolist()
    shown = replace(vocabulary.schema, settings=coarse)
    several = len(settings.radius) > 1
    texts = []
    for radius, key in zip(vocabulary.keys[:, 0].tolist(), keys, strict=True):
        distances, fields = key[: settings.num_distances], key[settings.num_distances :]
        if is_ends_key([radius, *key], settings):
            texts.append(f"ends of the pair {fields[0]} hops apart without their edge")
            continue
        if settings.count == "edges":
            texts.append(ends_text(distances, fields, coarse) + (f" (radius {radius})" if several else ""))
            continue
        who, what = who_text(distances, vocabulary.schema, radius), fields_text(fields, shown, min(distances))
        if what.startswith("edge "):  # an edge has two ends, so that its total degree says nothing
            what = what.partition(", degree ")[0].replace("edge ", "type ", 1)
        joint = " " if who == "own" else " of " if what.startswith(("degree", "type")) else " with "
        texts.append(f"{who}{joint}{what}" + (f" (radius {radius})" if several else ""))
    nested = column_texts(vocabulary)[len(texts) :]
    return texts + [text.partition(":")[0] for text in nested]


def _is_encoder(step: Any) -> bool:
    """Return whether a step is a fitted encoder."""
    return hasattr(step, "vocabulary_") or hasattr(step, "bags_")


def _encoder_texts(encoder: Any) -> list[str]:
    """Return the columns of a fitted encoder as text; a class or an entry of a bag is the counts of its nodes."""
    if getattr(encoder, "aggregate", None) == "bag":
        if encoder.num_hashed is not None:
            names: list[str] = encoder.get_feature_names_out().tolist()
            return names
        bags = [
            (column_texts(bag.vocabulary), bag.rows[np.flatnonzero(bag.columns >= 0)])
            for bag in encoder.bags_
        ]
        return [text for columns, rows in bags for text in _class_texts(columns, rows)]
    columns = column_texts(encoder.vocabulary_)
    if getattr(encoder, "degree_rank", False):
        columns = ["rank of the degree", *columns]
    rows = getattr(encoder, "class_rows_", None)
    return columns if rows is None or encoder.aggregate != "classes" else _class_texts(columns, rows)


def _class_texts(columns: list[str], rows: Any) -> list[str]:
    """Return the counts of some rows as text."""
    texts = []
    for row in range(rows.shape[0]):
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        entries = zip(rows.indices[part].tolist(), rows.data[part].tolist(), strict=True)
        texts.append("nodes with " + "; ".join(f"{count} at {columns[column]}" for column, count in entries))
    return texts


def _title(classes: Sequence[Any] | None, number: int) -> str:
    """Return the title of one row of coefficients: the class or classes that it favors."""
    if classes is None:
        return "raises (+) or lowers (-) the prediction"
    names = [show_value(name) for name in np.asarray(classes).tolist()]
    if len(names) == 2:
        return f"for {names[1]} (+) or {names[0]} (-)"
    return f"for (+) or against (-) {names[number]}"
