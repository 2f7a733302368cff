"""The contract every encoder for scikit-learn keeps.

scikit-learn's `check_estimator` skips nearly all of its checks for input that is no array of numbers. These are the
checks of its suite that have a meaning for graphs and ids, and those for the models that usually follow.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from egonet.errors import InputError
from egonet.sklearn import base as estimator


@dataclass(frozen=True)
class Subject:
    """An encoder under test.

    Attributes
    ----------
    make
        Returns an unfitted encoder from settings.
    train, test
        Inputs; `test` holds keys that `train` does not.
    y
        Two classes over `train` that the encoding tells apart.
    """

    make: Callable[..., Any]
    train: Any
    test: Any
    y: Any


def dense(rows: Any) -> Any:
    return rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)


def check_settings_are_kept_as_given(subject: Subject) -> None:
    """Constructors only store: what was given is what get_params returns, even if fit raises for it."""
    radius = (1, 2)
    encoder = subject.make(radius=radius, degrees="nonsense", n_jobs=2)

    assert encoder.get_params()["radius"] is radius
    assert encoder.get_params()["degrees"] == "nonsense"
    with pytest.raises(InputError, match="degrees must be one of"):
        encoder.fit(subject.train)


def check_clone_has_the_settings_and_not_the_state(subject: Subject) -> None:
    encoder = subject.make(radius=1, sparse_output=False).set_output(transform="pandas").fit(subject.train)

    twin = clone(encoder)

    assert twin.get_params() == encoder.get_params()
    assert not hasattr(twin, "vocabulary_")
    assert list(twin.fit_transform(subject.train).columns) == encoder.get_feature_names_out().tolist()


def check_unfitted_use_says_so(subject: Subject) -> None:
    for use in ("transform", "count_unseen"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(subject.make(), use)(subject.train)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        subject.make().get_feature_names_out()


def check_fit_and_transform_are_fit_transform(subject: Subject) -> None:
    for options in (
        {"radius": 1},
        {"radius": (1, 2), "weighting": "log"},
        {"radius": 1, "degrees": "full"},
        {"radius": 1, "rooted": "edge"},
    ):
        together = subject.make(**options).fit_transform(subject.train)
        apart = subject.make(**options).fit(subject.train).transform(subject.train)

        np.testing.assert_array_equal(dense(together), dense(apart))
        assert dense(together).any()


def check_learned_state_ends_in_an_underscore(subject: Subject) -> None:
    encoder = subject.make()
    before = set(vars(encoder))

    encoder.fit(subject.train)

    learned = set(vars(encoder)) - before
    assert "vocabulary_" in learned
    assert all(name.endswith("_") for name in learned)


def check_fit_does_not_touch_settings_or_input(subject: Subject) -> None:
    encoder = subject.make(radius=(1, 2))
    settings, length = encoder.get_params(), len(subject.train)

    assert encoder.fit(subject.train) is encoder

    assert encoder.get_params() == settings
    assert len(subject.train) == length


def check_refitting_forgets(subject: Subject) -> None:
    encoder = subject.make(radius=1).fit(subject.test)
    encoder.set_params(radius=2).fit(subject.train)
    fresh = subject.make(radius=2).fit(subject.train)

    assert encoder.get_feature_names_out().tolist() == fresh.get_feature_names_out().tolist()
    np.testing.assert_array_equal(
        dense(encoder.transform(subject.test)), dense(fresh.transform(subject.test))
    )


def check_pickle_keeps_the_result(subject: Subject) -> None:
    encoder = subject.make(radius=2).fit(subject.train)

    restored = pickle.loads(pickle.dumps(encoder))

    np.testing.assert_array_equal(
        dense(restored.transform(subject.test)), dense(encoder.transform(subject.test))
    )


def check_feature_names_are_the_columns(subject: Subject) -> None:
    encoder = subject.make(radius=(1, 2)).fit(subject.train)
    names = encoder.get_feature_names_out()

    assert names.dtype == object
    assert len(set(names)) == len(names) == encoder.transform(subject.test).shape[1]


def check_sparse_and_dense_agree(subject: Subject) -> None:
    sparse = subject.make(sparse_output=True).fit_transform(subject.train)
    whole = subject.make(sparse_output=False).fit_transform(subject.train)

    assert sparse.dtype == whole.dtype == np.float64
    assert isinstance(whole, np.ndarray)
    np.testing.assert_array_equal(sparse.toarray(), whole)


def check_models_that_take_32_bit_indices_only_are_supported(subject: Subject) -> None:
    for options in (
        {"radius": 1},
        {"radius": (1, 2), "weighting": "log"},
        {"radius": 1, "degree_bins": "log"},
    ):
        pipeline = make_pipeline(subject.make(**options), DecisionTreeClassifier(random_state=0))

        assert pipeline.fit(subject.train, subject.y).score(subject.train, subject.y) == 1.0


def check_frames_come_out_where_asked(subject: Subject) -> None:
    encoder = subject.make(sparse_output=False).fit(subject.train)
    expected = encoder.transform(subject.test)

    for kind in ("pandas", "polars"):
        frame = encoder.set_output(transform=kind).transform(subject.test)
        assert type(frame).__module__.split(".")[0] == kind
        assert list(frame.columns) == encoder.get_feature_names_out().tolist()
        np.testing.assert_array_equal(frame.to_numpy(), expected)


def check_threads_do_not_change_the_result(subject: Subject) -> None:
    one = subject.make(n_jobs=None).fit(subject.train)

    for n_jobs in (1, 2, -1):
        other = subject.make(n_jobs=n_jobs).fit(subject.train)
        np.testing.assert_array_equal(
            dense(other.transform(subject.test)), dense(one.transform(subject.test))
        )


def check_unknown_keys_are_handled_as_asked(subject: Subject) -> None:
    clip = subject.make(radius=1, unseen="clip").fit(subject.train)
    ignore = subject.make(radius=1, unseen="ignore").fit(subject.train)
    error = subject.make(radius=1, unseen="error").fit(subject.train)

    assert clip.count_unseen(subject.test).clipped > 0
    assert ignore.count_unseen(subject.test).dropped > 0
    assert dense(ignore.transform(subject.test)).sum() < dense(clip.transform(subject.test)).sum()
    with pytest.raises(InputError, match="never saw"):
        error.transform(subject.test)
    with pytest.raises(InputError, match=r"unseen must be one of 'clip', 'ignore', 'error', got 'drop'\."):
        subject.make(unseen="drop").fit(subject.train)
    with pytest.raises(
        InputError, match=r"handle_unknown must be one of 'error', 'zero', 'warn', got 'drop'\."
    ):
        subject.make(handle_unknown="drop").fit(subject.train)
    with pytest.raises(InputError, match=r'handle_unknown is for nodes: .* set unseen="clip"\.'):
        subject.make(handle_unknown="clip").fit(subject.train)


def check_grid_search_over_radius_and_degrees(subject: Subject) -> None:
    pipeline = make_pipeline(subject.make(), LogisticRegression())
    step = pipeline.steps[0][0]
    grid = {f"{step}__radius": [0, 1, (1, 2)], f"{step}__degrees": ["total", "layered"]}

    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(subject.train, subject.y)

    assert len(search.cv_results_["params"]) == 6
    assert search.best_score_ == 1.0


def check_pipeline_with_svd(subject: Subject) -> None:
    svd = TruncatedSVD(3, random_state=0)
    pipeline = make_pipeline(subject.make(radius=1), svd, LogisticRegression(C=100, max_iter=1000))

    assert cross_val_score(pipeline, subject.train, subject.y, cv=2, error_score="raise").min() == 1.0


def check_set_params_is_what_the_constructor_does(subject: Subject) -> None:
    encoder = subject.make().set_params(radius=1, max_degree=7)

    assert encoder.get_params() == subject.make(radius=1, max_degree=7).get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'radiuss'"):
        encoder.set_params(radiuss=1)


def check_a_setting_changed_after_fit_is_an_error(subject: Subject) -> None:
    encoder = subject.make(radius=1).fit(subject.train).set_params(radius=2)

    with pytest.raises(
        InputError, match=r"radius was changed after fit, from \(1,\) to \(2,\).* Call fit again"
    ):
        encoder.transform(subject.test)


def check_fitting_twice_gives_the_same(subject: Subject) -> None:
    once = subject.make().fit(subject.train)
    twice = subject.make().fit(subject.train).fit(subject.train)

    assert once.get_feature_names_out().tolist() == twice.get_feature_names_out().tolist()
    np.testing.assert_array_equal(dense(once.transform(subject.test)), dense(twice.transform(subject.test)))


def check_transform_changes_nothing(subject: Subject) -> None:
    encoder = subject.make().fit(subject.train)
    before = dict(vars(encoder))

    first, second = encoder.transform(subject.test), encoder.transform(subject.test)

    assert vars(encoder) == before
    np.testing.assert_array_equal(dense(first), dense(second))


def check_rows_do_not_depend_on_each_other(subject: Subject) -> None:
    """Any subset, in any order, and one entry at a time give the rows of the whole."""
    encoder = subject.make().fit(subject.train)
    whole = dense(encoder.transform(subject.train))
    order = [3, 0, 5, 1]

    np.testing.assert_array_equal(
        dense(encoder.transform([subject.train[index] for index in order])), whole[order]
    )
    for index in order:
        np.testing.assert_array_equal(dense(encoder.transform([subject.train[index]])), whole[[index]])


def check_y_plays_no_part(subject: Subject) -> None:
    with_y = subject.make().fit(subject.train, subject.y)

    assert with_y.get_feature_names_out().tolist() == (
        subject.make().fit(subject.train).get_feature_names_out().tolist()
    )


def check_columns_may_come_as_series_frames_and_arrays(subject: Subject) -> None:
    boxed = np.empty(len(subject.train), dtype=object)
    boxed[:] = list(map(tuple, subject.train)) if np.ndim(subject.train) == 2 else subject.train
    series = pd.Series(boxed, index=np.arange(len(boxed)) + 7)
    expected = dense(subject.make().fit_transform(subject.train))

    for column in (tuple(subject.train), boxed, boxed.reshape(-1, 1), series, series.to_frame("entry")):
        np.testing.assert_array_equal(dense(subject.make().fit_transform(column)), expected)


def check_defaults_suit_models_that_need_dense_rows(subject: Subject) -> None:
    pipeline = make_pipeline(subject.make(), HistGradientBoostingClassifier(min_samples_leaf=1, max_iter=5))
    frame = subject.make().set_output(transform="pandas").fit_transform(subject.train)

    assert pipeline.fit(subject.train, subject.y).score(subject.train, subject.y) == 1.0
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(subject.train)


def check_column_transformer_takes_the_column(subject: Subject) -> None:
    boxed = np.empty(len(subject.train), dtype=object)
    boxed[:] = list(map(tuple, subject.train)) if np.ndim(subject.train) == 2 else subject.train
    table = pd.DataFrame({"entry": boxed, "amount": np.arange(float(len(boxed)))})
    alone = dense(subject.make().fit_transform(subject.train))

    for columns in ("entry", ["entry"]):
        rows = make_column_transformer((subject.make(), columns), ("passthrough", ["amount"])).fit_transform(
            table
        )
        np.testing.assert_array_equal(dense(rows), np.column_stack([alone, table["amount"]]))


def check_width_limit_says_what_to_do(subject: Subject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimator, "DENSE_COLUMNS", 2)
        with pytest.warns(
            UserWarning, match=r'columns are more than sparse_output="auto" makes dense: .*degree_bins'
        ):
            rows = subject.make(radius=1).fit_transform(subject.train)
        with pytest.raises(InputError, match=r'pandas output is dense\. Use degree_bins="log"'):
            subject.make(radius=1).set_output(transform="pandas").fit_transform(subject.train)
        asked = subject.make(radius=1, sparse_output=False).fit_transform(subject.train)

    np.testing.assert_array_equal(rows.toarray(), asked)
    with pytest.raises(InputError, match=r'sparse_output must be True, False or "auto", got "maybe"|maybe'):
        subject.make(sparse_output="maybe").fit(subject.train)


def check_joblib_keeps_the_result(subject: Subject) -> None:
    encoder = subject.make().fit(subject.train)

    with TemporaryDirectory() as folder:
        joblib.dump(encoder, Path(folder) / "encoder")
        restored = joblib.load(Path(folder) / "encoder")

    np.testing.assert_array_equal(
        dense(restored.transform(subject.test)), dense(encoder.transform(subject.test))
    )


CHECKS = [check for name, check in sorted(globals().items()) if name.startswith("check_")]
