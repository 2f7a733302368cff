"""What is trained for the tables: accuracy over folds, error or accuracy after early stopping."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from egonet.typing import Int64s
from research.datasets.graph_set import GraphSet
from research.nets.build_store import build_store
from research.nets.network import Parameters, Replica, Sizes
from research.nets.shape import Network
from research.nets.train import History, Plan, train
from research.nets.trainer import Task, Trainer
from research.paper.features import Extra, make_extra
from research.paper.published.draws import Columns, published_draws
from research.paper.settings import QUICK_FOLDS, QUICK_GRAPHS, Outcome, Settings, Unit
from research.paper.spec import DataSpec

#: Graphs measured at once where a set is measured only at the end.
_CHUNK = 500
_VALIDATION_SHARE = 0.1


def run_folds(
    data: GraphSet, spec: DataSpec, network: Network, units: Sequence[Unit], settings: Settings
) -> list[Outcome]:
    """Return the accuracy of every unit over the data set's folds.

    Under the paper's protocol the epoch is the one with most right test answers over all folds; under the
    honest one each fold holds back a tenth of its training graphs and takes the epoch of the lowest loss on
    them.
    """
    splits = data.splits[:QUICK_FOLDS] if settings.quick else data.splits
    seeds = sorted({unit.seed for unit in units})
    requests = list(dict.fromkeys(unit.request for unit in units))
    extra = make_extra(
        data,
        requests,
        [split[0] for split in splits],
        seeds,
        device=settings.device,
        learn=not settings.quick,
    )
    places = [(unit, fold) for unit in units for fold in range(len(splits))]
    replicas = [_replica(data, spec, extra, unit, fold) for unit, fold in places]
    targets = torch.from_numpy(np.append(data.targets, 0))[None]
    task = make_task(data, spec, network, extra, replicas, targets, settings)
    train_graphs, measured = [], {"test": [splits[fold][1] for _, fold in places]}
    for unit, fold in places:
        kept, validation = splits[fold][0], splits[fold][0][:0]
        if settings.protocol == "honest":
            kept, validation = hold_back(kept, data.targets, unit.seed)
        train_graphs.append(kept)
        measured.setdefault("validation", []).append(validation)
    if settings.protocol != "honest":
        del measured["validation"]
    epochs = settings.epochs(spec)
    plan = Plan(train_graphs, measured, spec.batch_size, epochs)
    first = None
    if settings.protocol == "paper" and spec.starts_as_published(network):
        columns = [extra.columns_of[unit.request, fold] for unit, fold in places]
        first, plan = _as_published(task, plan, columns, loaders=2)
    trainer = Trainer(task, values=first, capture=settings.capture)
    history = train(trainer, plan, _progress(settings, epochs))
    trainer.release()
    shape = (-1, len(units), len(splits))
    tested = np.array([len(split[1]) for split in splits])
    right = history.table("right", "test").reshape(shape)
    if settings.protocol == "honest":
        return _honest(units, history, right, tested, shape)
    return [_best_epoch(unit, right[:, line], tested) for line, unit in enumerate(units)]


def _best_epoch(unit: Unit, right: np.ndarray[Any, Any], tested: Int64s) -> Outcome:
    """Return the mean accuracy at the epoch with most right answers over all folds."""
    epoch = int(right.sum(axis=1).argmax())
    folds = 100.0 * right[epoch] / tested
    return Outcome(
        unit, float(folds.mean()), {"epoch": epoch + 1, "right": right[epoch].astype(int).tolist()}
    )


def _honest(
    units: Sequence[Unit],
    history: History,
    right: np.ndarray[Any, Any],
    tested: Int64s,
    shape: tuple[int, ...],
) -> list[Outcome]:
    """Return the mean test accuracy, each fold at the epoch of its lowest validation loss."""
    losses = history.table("losses", "validation").reshape(shape)
    found = history.table("right", "validation").reshape(shape)
    outcomes = []
    for line, unit in enumerate(units):
        epochs = losses[:, line].argmin(axis=0)
        folds = np.arange(len(tested))
        chosen = right[epochs, line, folds]
        details = {
            "epoch": (epochs + 1).tolist(),
            "right": chosen.astype(int).tolist(),
            "validation_loss": float(losses[epochs, line, folds].mean()),
            "validation_right": found[epochs, line, folds].astype(int).tolist(),
        }
        outcomes.append(Outcome(unit, float((100.0 * chosen / tested).mean()), details))
    return outcomes


def hold_back(graphs: Int64s, classes: Int64s, seed: int) -> tuple[Int64s, Int64s]:
    """Return training graphs without a tenth of each class, and that tenth.

    Examples
    --------
    >>> kept, validation = hold_back(np.arange(20), np.arange(20) % 2, seed=1)
    >>> len(kept), sorted((validation % 2).tolist())
    (18, [0, 1])
    """
    rng = np.random.default_rng([seed, len(graphs)])
    chosen: list[int] = []
    for label in np.unique(classes[graphs]):
        members = graphs[classes[graphs] == label]
        chosen += rng.permutation(members)[: round(_VALIDATION_SHARE * len(members))].tolist()
    is_chosen = np.isin(graphs, chosen)
    return graphs[~is_chosen], graphs[is_chosen]


def run_early(
    data: GraphSet, spec: DataSpec, network: Network, units: Sequence[Unit], settings: Settings
) -> list[Outcome]:
    """Return the test score of every unit at its lowest validation loss: accuracy, or mean squared error."""
    training, validation, test = data.splits[0]
    if settings.quick:
        training, validation, test = (graphs[:QUICK_GRAPHS] for graphs in data.splits[0])
    seeds = sorted({unit.seed for unit in units})
    requests = list(dict.fromkeys(unit.request for unit in units))
    learn = spec.loss == "squared" and not settings.quick
    extra = make_extra(data, requests, [training], seeds, device=settings.device, learn=learn)
    replicas = [_replica(data, spec, extra, unit, 0) for unit in units]
    columns = data.targets.T if data.targets.ndim > 1 else data.targets[None]
    targets = torch.from_numpy(np.concatenate([columns, np.zeros((len(columns), 1), columns.dtype)], axis=1))
    task = make_task(data, spec, network, extra, replicas, targets, settings)
    epochs = settings.epochs(spec)
    plan = Plan(
        [training] * len(units),
        {"validation": [validation] * len(units)},
        spec.batch_size,
        epochs,
        spec.patience,
    )
    first = None
    if settings.protocol == "paper" and spec.starts_as_published(network):
        first, plan = _as_published(task, plan, [extra.columns_of[u.request, 0] for u in units], loaders=3)
    trainer = Trainer(task, values=first, capture=settings.capture)
    history = train(trainer, plan, _progress(settings, epochs))
    if history.best is None or history.best_epoch is None:
        raise RuntimeError("training with patience records the best parameters")
    trainer.release()
    trainer.flat.copy_(history.best)
    losses, right = _measure_all(trainer, test, len(units))
    validated = history.table("losses", "validation")
    outcomes = []
    for line, unit in enumerate(units):
        epoch = int(history.best_epoch[line])
        score = losses[line] if spec.loss == "squared" else 100.0 * right[line]
        details = {
            "epoch": epoch + 1,
            "epochs": history.num_epochs,
            "validation_loss": float(validated[epoch, line]),
        }
        outcomes.append(Outcome(unit, float(score), details))
    return outcomes


def _measure_all(trainer: Trainer, graphs: Int64s, replicas: int) -> tuple[list[float], list[float]]:
    """Return the mean loss and the share of right answers over many graphs, in chunks."""
    sizes = trainer.task.store.sizes.cpu().numpy()
    losses, right = np.zeros(replicas), np.zeros(replicas)
    for begin in range(0, len(graphs), _CHUNK):
        part = graphs[begin : begin + _CHUNK]
        chosen = torch.from_numpy(part).to(trainer.flat.device).expand(replicas, len(part)).contiguous()
        loss, found = trainer._measure(chosen, int(sizes[part].sum()) + 1)
        losses += loss.double().cpu().numpy()
        right += found.double().cpu().numpy()
    return (losses / len(graphs)).tolist(), (right / len(graphs)).tolist()


def make_task(
    data: GraphSet,
    spec: DataSpec,
    network: Network,
    extra: Extra,
    replicas: Sequence[Replica],
    targets: torch.Tensor,
    settings: Settings,
) -> Task:
    """Return the task with everything it reads on the device."""
    store = build_store(
        network, data.union, data.node_ptr, data.inputs, extra.columns, spectral=spec.spectral
    )
    on_device = store.to(settings.device, torch.float32)
    supports = 0
    if network.kind == "gnnml3":
        published = settings.protocol == "paper" and extra.is_published
        on_device = replace(on_device, ends_by_place=published)
        supports = spec.spectral.num_supports + extra.columns.shape[2]
    full = max(replica.supports for replica in replicas)
    sizes = Sizes(data.inputs.shape[1] + extra.columns.shape[2], supports, max(full, 1))
    dtype = torch.float32 if spec.loss == "squared" else torch.int64
    loss: Any = spec.loss
    return Task(network, sizes, on_device, replicas, targets.to(settings.device, dtype), loss)


def _replica(data: GraphSet, spec: DataSpec, extra: Extra, unit: Unit, fold: int) -> Replica:
    """Return the replica of one unit and fold."""
    added = extra.width_of[unit.request, fold]
    return Replica(
        seed=unit.seed,
        fold=fold,
        variant=extra.variant_of[unit.request, fold, unit.seed],
        width=data.inputs.shape[1] + added,
        supports=spec.spectral.num_supports + added,
        target=unit.target,
    )


def _as_published(
    task: Task, plan: Plan, columns: Sequence[Columns], *, loaders: int
) -> tuple[Parameters, Plan]:
    """Return the published first weights, and the plan with the published orders of training graphs."""
    drawn = published_draws(
        task.network,
        task.sizes,
        task.replicas,
        columns,
        graphs=[len(graphs) for graphs in plan.train],
        epochs=plan.epochs,
        loaders=loaders,
    )
    return drawn.weights, replace(plan, orders=drawn.orders)


def _progress(settings: Settings, epochs: int) -> Callable[[int], None]:
    """Return a callback that reports about ten times over all epochs."""
    every = max(10, epochs // 10)

    def report(epoch: int) -> None:
        if (epoch + 1) % every == 0 and epoch + 1 < epochs:
            settings.report(f"epoch {epoch + 1} of at most {epochs}")

    return report
