"""Base classes of the scikit-learn encoders: parameters, tags, calls of `encode`, dense or sparse output."""

import inspect
import sys
from copy import copy, deepcopy
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array

from egonet.checks import MAX_THREADS, is_whole, one_of
from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Counts, Weighting, narrow_pointers, weight
from egonet.encoding.settings import OtherSettings, Settings, as_settings, settings_of
from egonet.encoding.signature import DEFAULTS, describe_options, replace_options
from egonet.encoding.unknown import HandleUnknown
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import (
    InputError,
    MemoryLimitError,
    MissingExtraError,
    in_python,
    option,
    render,
    show_value,
)
from egonet.graph.adapters import adapter_of, as_graph
from egonet.graph.align import kept_names, reject_unordered
from egonet.graph.columns import EDGE_ROLES, ROLES, EdgeOptions, Labels
from egonet.graph.graph import Graph
from egonet.graph.input_options import reading_of, warn

try:
    from joblib import effective_n_jobs
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted as check_is_fitted

    from sklearn import get_config
except ImportError as error:
    raise MissingExtraError('the encoders need an extra package: pip install "egonet[sklearn]".') from error

SparseOutput: TypeAlias = bool | Literal["auto"]
#: With sparse_output="auto", rows with more columns than this, or more values in all (2 GB), are sparse.
DENSE_COLUMNS, DENSE_VALUES = 4_096, 250_000_000


#: The parameters that say how a graph is read, besides its direction.
READING = ("source", "target", "missing", "ids", "simplify")


class EncoderOptions(OtherSettings, EdgeOptions):
    """The keywords of encoders of nodes and graphs besides the radius: every setting, and what edges carry."""


class GraphTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose input is graphs or node ids, not a matrix of numbers; `clone` shares graph and labels."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Replace `**options` in the signature of `__init__` by their names: scikit-learn reads parameters there."""
        super().__init_subclass__(**keywords)
        signature = inspect.signature(cls.__init__)
        *_, last = signature.parameters.values()
        if "__init__" in vars(cls) and last.kind is last.VAR_KEYWORD:
            (keywords,) = get_args(last.annotation) or (EncoderOptions,)
            cls._keywords = {name: DEFAULTS.get(name) for name in keywords.__annotations__}
            listed = replace_options(signature, keywords.__annotations__)
            cls.__init__.__signature__ = listed  # type: ignore[attr-defined]
            cls.__doc__ = describe_options(cls.__doc__, cls._keywords)

    def _keep(self, parameters: dict[str, Any]) -> None:
        """Keep the parameters of `__init__`, which are its locals(), as attributes: scikit-learn reads them there."""
        values = {name: value for name, value in parameters.items() if name not in ("self", "options")}
        if "options" in parameters:
            options = parameters["options"]
            if unknown := options.keys() - self._keywords.keys():
                as_settings(None, dict.fromkeys(unknown))  # raises; values are checked by `fit`
            values = self._keywords | values | options
        self.__dict__.update(values)

    def _as_graph(self, graph: Any, **ends: Any) -> Graph:
        """Return a graph with the direction and the edge attributes that the parameters use."""
        if isinstance(graph, Graph):
            return as_graph(graph, **ends, directed=self.directed)
        directed = reading_of(self.directed, self.degrees)
        own_graph = as_graph(
            graph, **ends, directed=directed, keep=kept_names(*(getattr(self, name) for name in EDGE_ROLES))
        )
        if not isinstance(self.labels, str) and not adapter_of(graph).has_order:
            reject_unordered(self.labels, own_graph.node_ids)
        return own_graph

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags

    #: What `**options` of `__init__` may be, with their defaults.
    _keywords: ClassVar[dict[str, Any]] = {}
    #: The parameters that are data, not settings.
    _data: tuple[str, ...] = ("graph", *ROLES)
    #: The encoder that a `ColumnTransformer` cloned this one from; its `set_params` changes that one.
    _template: Any = None

    #: Parameters, other than settings, that what `fit` learned depends on.
    _fixed: ClassVar[tuple[str, ...]] = ()

    def _learned_from(self) -> dict[str, Any]:
        """Return the values that what `fit` learns depends on."""
        return {name: getattr(self, name) for name in self._fixed}

    def _remember(self) -> None:
        """Keep what the columns were learned with; `fit` calls this last."""
        self.learned_with_ = self._learned_from()

    def _reject_changes(self) -> None:
        """Raise if a parameter that the columns depend on was changed after `fit`."""
        if hasattr(self, "learned_with_"):
            reject_changes(self.learned_with_, self._learned_from())

    def without_data(self) -> Self:
        """Return the fitted encoder without its graph, events and labels, to be saved for serving.

        What is left are the settings and the columns. Give the data of the day with `with_graph`, or with X.

        Examples
        --------
        >>> import egonet, pickle
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1).fit(["a", "b"])
        >>> served = pickle.loads(pickle.dumps(encoder.without_data()))
        >>> served.transform((egonet.named.path("xyz"), ["y"]))
        array([[0., 1., 2.]])
        """
        names = [name for name in self._data if hasattr(self, name)]
        return self._with({name: None for name in names if not isinstance(getattr(self, name), str)})

    def _with(self, changes: dict[str, Any]) -> Self:
        """Return a copy, fitted if this one is, with other parameters."""
        other = copy(self)
        other.__dict__.update(changes)
        other.__dict__.pop("_template", None)
        return other

    def _current(self) -> Self:
        """Return the encoder with what `set_params` of a `ColumnTransformer` has changed since it was fitted."""
        if self._template is None:
            return self
        before = self._template.get_params(deep=False)
        changed = {name: value for name, value in before.items() if value is not getattr(self, name)}
        return self._with(changed) if changed else self

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted transformer with the same parameters, which are not copied."""
        twin = type(self)(**self.get_params(deep=False))
        if _is_called_by("sklearn.compose"):
            twin._template = self
        for name in ("_sklearn_output_config", "_metadata_request"):
            if hasattr(self, name):
                setattr(twin, name, deepcopy(getattr(self, name)))
        return twin


class BaseEncoder(GraphTransformer):
    """An estimator that calls `encode` with its parameters and returns dense or sparse rows."""

    vocabulary_: Vocabulary
    #: Whether the rows are nodes of one graph, which can be compared with each other.
    _has_ranks: bool = False

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of X; `y` is ignored.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1)
        >>> len(encoder.fit(["a", "b"]).vocabulary_)
        3
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of X and return its rows, with one call of the kernel.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1)
        >>> encoder.fit_transform(["a", "b"])
        array([[1., 0., 1.],
               [0., 1., 2.]])
        """
        return self._rows(self._learn(X))

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per entry of X, in the columns learned.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1)
        >>> encoder.fit(["a", "b"]).transform(["c"])
        array([[0., 1., 2.]])
        """
        current = self._current()
        return current._rows(current._apply(X))

    def count_unseen(self, X: Any) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop in X, and how many nodes are unknown.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1)
        >>> encoder.fit(["a"]).count_unseen(["b"]).num_rows
        1
        """
        unseen: Unseen = self._current()._apply(X).unseen
        return unseen

    def _check_fitted(self) -> None:
        """Raise if the encoder is not fitted, or a setting was changed after it was."""
        check_is_fitted(self, "vocabulary_")
        self._check_params()
        learned, current = self.vocabulary_.settings, self._settings()
        names = [name for name in self.get_params(deep=False) if hasattr(learned, name)]
        before, now = ({name: getattr(each, name) for name in names} for each in (learned, current))
        reject_changes(before, now)
        self._reject_changes()

    def _settings(self) -> Settings:
        """Return the settings among the parameters."""
        return settings_of(self)

    def _rows(self, encoding: Any) -> Any:
        """Return the rows of the result of `_learn` or `_apply`."""
        return self._output(weight(encoding.matrix, self.weighting))

    def _encode(
        self,
        graph: Any,
        labels: Labels | None,
        roots: list[Any] | None = None,
        columns: Settings | Vocabulary | None = None,
    ) -> Encoding:
        """Return the encoding of a graph or several in the columns of a vocabulary, or in new ones."""
        keywords: Any = {"threads": threads_of(self.n_jobs), "labels": labels, "roots": roots}
        keywords |= {name: getattr(self, name) for name in EDGE_ROLES}
        if not isinstance(graph, Graph):  # a `Graph` has its direction
            keywords["directed"] = self.directed
            keywords |= {name: getattr(self, name) for name in READING}
        if isinstance(columns, Vocabulary):
            return encode(graph, vocabulary=columns.without_degrees, unseen=self.unseen, **keywords)
        return encode(graph, settings_of(self) if columns is None else columns, **keywords)

    def _check_params(self) -> None:
        """Raise for parameters that `encode` would notice late or never."""
        if isinstance(self.handle_unknown, str) and self.handle_unknown in ("clip", "ignore"):
            raise InputError(
                f"handle_unknown is for nodes: 'error', 'zero' or 'warn', got {show_value(self.handle_unknown)}. "
                f"For keys without a column set {option('unseen', self.handle_unknown)}."
            )
        one_of("handle_unknown", self.handle_unknown, get_args(HandleUnknown))
        one_of("unseen", self.unseen, get_args(UnseenPolicy))
        one_of("weighting", self.weighting, get_args(Weighting))
        if self.weighting == "rank" and not self._has_ranks:
            raise InputError(
                f"{option('weighting', 'rank')} compares the nodes of one graph, and {type(self).__name__} has other "
                "rows. Use NodeEncoder, or another weighting."
            )
        is_auto = isinstance(self.sparse_output, str) and self.sparse_output == "auto"
        if not isinstance(self.sparse_output, bool | np.bool_) and not is_auto:
            raise InputError(
                f'sparse_output must be True, False or "auto", got {show_value(self.sparse_output)}.'
            )

    def _output(self, matrix: Counts) -> Any:
        """Return the matrix as floats, sparse or dense."""
        floats = matrix.astype(np.float64)
        if not self._is_sparse(*matrix.shape):
            try:
                return floats.toarray()
            except MemoryError as error:
                raise MemoryLimitError(
                    f"dense rows of {matrix.shape[0]:,} x {matrix.shape[1]:,} do not fit in memory. {_NARROWER}"
                ) from error
        pointers = narrow_pointers(floats.indptr)  # trees and others take no 64-bit indices
        columns = floats.indices.astype(pointers.dtype, copy=False)
        return csr_array((floats.data, columns, pointers), shape=floats.shape)

    def _is_sparse(self, rows: int, columns: int) -> bool:
        """Return whether rows come out sparse; warn, or raise for data frames, if there is too much for dense rows."""
        if self.sparse_output != "auto":
            return bool(self.sparse_output)
        if columns <= DENSE_COLUMNS and rows * columns <= DENSE_VALUES:
            return False
        size = f'{rows:,} rows of {columns:,} columns are more than sparse_output="auto" makes dense'
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        frame = own or get_config()["transform_output"]
        if frame != "default":
            raise InputError(
                f"{size}, and {frame} output is dense. {_NARROWER} sparse_output=False tries anyway."
            )
        warn(
            f"{size}: they are sparse. For a model that needs dense rows: {render(_NARROWER)} "
            "sparse_output=True keeps them sparse without this warning.",
            UserWarning,
        )
        return True

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every column, such as "r2_d1_deg4"; `input_features` is ignored.

        Examples
        --------
        >>> import egonet
        >>> encoder = egonet.NodeEncoder(egonet.named.path("abcd"), radius=1)
        >>> encoder.fit(["a"]).get_feature_names_out().tolist()
        ['r1_d0_deg1', 'r1_d1_deg1']
        """
        check_is_fitted(self, "vocabulary_")
        return np.asarray(self.vocabulary_.feature_names, dtype=object)


def reject_changes(before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise for the first value that differs.

    >>> reject_changes({"radius": 1}, {"radius": 2})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: radius was changed after fit, from 1 to 2, which would change the columns. Call fit again.
    """
    for name, value in now.items():
        if value is not before[name] and value != before[name]:
            raise InputError(
                f"{name} was changed after fit, from {show_value(before[name])} to {show_value(value)}, which would "
                "change the columns. "
                "Call fit again."
            )


def _is_called_by(package: str) -> bool:
    """Return whether the first caller outside of this module and `sklearn.base` belongs to a package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in (__name__, "sklearn.base"):
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and str(frame.f_globals.get("__name__")).startswith(package)


def threads_of(n_jobs: Any) -> int:
    """Return the number of threads of `n_jobs`: joblib reads None as 1, -1 as one per core, or as configured.

    >>> threads_of(2)
    2
    """
    is_count = is_whole(n_jobs) and n_jobs != 0
    if n_jobs is not None and not is_count:
        rule = in_python("n_jobs must be None or a whole number other than 0", "--threads must not be 0")
        raise InputError(f"{rule}, got {show_value(n_jobs)}.")
    return int(min(effective_n_jobs(n_jobs), MAX_THREADS))


_NARROWER = (
    f"Use {option('degree_bins', 'log')}, a smaller max_degree or {option('degrees', 'total')} for "
    "fewer columns."
)
