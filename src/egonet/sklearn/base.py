"""Base classes of the scikit-learn encoders: parameters, tags, calls of `encode`, dense or sparse output."""

import inspect
import warnings
from copy import deepcopy
from dataclasses import fields
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array

from egonet.attributes.edge_types import kept_names
from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.matrix import Counts, Weighting, narrow_pointers, weight
from egonet.encoding.settings import OtherSettings, Settings, as_settings, one_of, settings_of
from egonet.encoding.vocabulary import Unseen, UnseenPolicy, Vocabulary
from egonet.errors import InputError, MemoryLimitError, MissingExtraError
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.typing import Directed

try:
    from joblib import effective_n_jobs
    from sklearn import get_config
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted as check_is_fitted
except ImportError as error:
    raise MissingExtraError('the encoders need an extra package: pip install "egonet[sklearn]".') from error

#: The settings that are parameters of encoders besides the radius, with their defaults.
SETTINGS = {
    each.name: each.default for each in fields(Settings) if each.name in OtherSettings.__annotations__
}
SparseOutput: TypeAlias = bool | Literal["auto"]
#: What `transform` does with what fitting did not see.
UnknownPolicy: TypeAlias = Literal["clip", "ignore", "error", "zero"]
#: With sparse_output="auto", rows with more columns than this, or more values in all (2 GB), are sparse.
DENSE_COLUMNS, DENSE_VALUES = 4_096, 250_000_000


class GraphTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose input is graphs or node ids, not a matrix of numbers; `clone` shares graph and labels."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Replace `**options` in the signature of `__init__` by the settings: scikit-learn reads parameters there."""
        super().__init_subclass__(**keywords)
        signature = inspect.signature(cls.__init__)
        *parameters, last = signature.parameters.values()
        if "__init__" in vars(cls) and last.kind is last.VAR_KEYWORD:
            types, kind = OtherSettings.__annotations__, last.KEYWORD_ONLY
            parameters += [
                inspect.Parameter(name, kind, default=default, annotation=types[name])
                for name, default in SETTINGS.items()
            ]
            cls.__init__.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]

    def _keep(self, parameters: dict[str, Any]) -> None:
        """Keep the parameters of `__init__`, which are its locals(), as attributes: scikit-learn reads them there."""
        given = {name: value for name, value in parameters.items() if name not in ("self", "options")}
        if "options" in parameters:
            options = parameters["options"]
            if unknown := options.keys() - SETTINGS.keys():
                as_settings(None, dict.fromkeys(unknown))  # raises; values are checked by `fit`
            given |= SETTINGS | options
        self.__dict__.update(given)

    def _as_graph(self, graph: Any, **ends: Any) -> Graph:
        """Return a graph with the direction and the edge attributes that the parameters use."""
        if isinstance(graph, Graph):
            return as_graph(graph, **ends, directed=self.directed)
        keeps_arcs = self.degrees == "in_out" and self.directed is None
        directed: Directed = "out" if keeps_arcs else self.directed
        return as_graph(graph, **ends, directed=directed, keep=kept_names(self.edge_labels, self.weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted transformer with the same parameters, which are not copied."""
        twin = type(self)(**self.get_params(deep=False))
        for name in ("_sklearn_output_config", "_metadata_request"):
            if hasattr(self, name):
                setattr(twin, name, deepcopy(getattr(self, name)))
        return twin


class BaseEncoder(GraphTransformer):
    """An estimator that calls `encode` with its parameters and returns dense or sparse rows."""

    vocabulary_: Vocabulary
    #: The values of handle_unknown.
    _policies: tuple[str, ...] = get_args(UnknownPolicy)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the columns of X; `y` is ignored."""
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:  # noqa: N803, ARG002
        """Learn the columns of X and return its rows, with one call of the kernel."""
        return self._rows(self._learn(X))

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return a row per entry of X, in the columns learned."""
        return self._rows(self._apply(X))

    def unseen(self, X: Any) -> Unseen:  # noqa: N803
        """Return what `transform` would clip or drop in X."""
        found: Unseen = self._apply(X).unseen
        return found

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
        how: Any = {"threads": threads_of(self.n_jobs), "labels": labels, "roots": roots}
        how |= {"edge_labels": self.edge_labels, "weights": self.weights}
        if not isinstance(graph, Graph):  # a `Graph` has its direction
            how["directed"] = self.directed
        if isinstance(columns, Vocabulary):
            return encode(graph, vocabulary=columns, unseen=self._unseen_policy, **how)
        return encode(graph, settings_of(self) if columns is None else columns, **how)

    @property
    def _unseen_policy(self) -> UnseenPolicy:
        """Return what happens to keys without a column; "zero" is about entries, and clips keys."""
        policy: UnseenPolicy = "clip" if self.handle_unknown == "zero" else self.handle_unknown
        return policy

    def _check_params(self) -> None:
        """Raise for parameters that `encode` would notice late or never."""
        one_of("handle_unknown", self.handle_unknown, self._policies)
        one_of("weighting", self.weighting, get_args(Weighting))
        if not isinstance(self.sparse_output, bool | np.bool_) and str(self.sparse_output) != "auto":
            raise InputError(f'sparse_output must be True, False or "auto", got {self.sparse_output!r}.')

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
        warnings.warn(
            f"{size}: they are sparse. For a model that needs dense rows: {_NARROWER} "
            "sparse_output=True keeps them sparse without this warning.",
            UserWarning,
            stacklevel=4,
        )
        return True

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Return the name of every column, such as "r2_d1_deg4"; `input_features` is ignored."""
        check_is_fitted(self, "vocabulary_")
        return np.asarray(self.vocabulary_.feature_names, dtype=object)


def threads_of(n_jobs: Any) -> int:
    """Return the number of threads of `n_jobs`: joblib reads None as 1, -1 as one per core, or as configured.

    >>> threads_of(2)
    2
    """
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool) and n_jobs != 0
    if n_jobs is not None and not whole:
        raise InputError(f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}.")
    return int(effective_n_jobs(n_jobs))


_NARROWER = 'Use degree_bins="log", a smaller max_degree or degrees="total" for fewer columns.'
