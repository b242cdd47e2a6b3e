"""Runs in MLflow: params, metrics, tags, the folder's files; a sweep's runs under one parent.

Without a URI they go to an SQLite database below the working directory, since MLflow keeps runs in folders of files no
longer.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.config import models
from assay.errors import StageError, without_logins
from assay.runs import files
from assay.trackers.entries import Entries, cut, entries_of
from assay.trackers.quiet import quiet_mlflow
from assay.trackers.record import Record, read_record, write_record

if TYPE_CHECKING:
    from assay.runs.run import Run

LOCAL = Path("outputs/mlflow")
DATABASE = "mlflow.db"
DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
OF_A_SWEEP = ("leaderboard.csv", "leaderboard.json", "costs.csv", "verdict.json")
PARENT = "mlflow.parentRunId"
MOST_METRICS, MOST_PARAMS = 500, 100  # of one request; MLflow takes 1,000 entries, 100 of them params, 100 tags


class Mlflow:
    """An experiment of MLflow, in the database or on the server that the config names."""

    kind = "mlflow"

    def __init__(self, config: models.MlflowTracker) -> None:
        self.config = config
        uri = config.uri or f"sqlite:///{LOCAL.as_posix()}/{DATABASE}"
        self.place = without_logins(uri)
        self._needs = ["mlflow"]
        if uri.partition(":")[0].partition("+")[0] in DATABASES:
            self._needs += ["sqlalchemy", "alembic"]

    def check(self) -> None:
        """Raise a StageError if MLflow, or what it needs for a database, is not installed."""
        missing = [name for name in self._needs if not installed(name)]
        if missing:
            raise StageError(
                f"tracker: mlflow can't be told, {' and '.join(missing)} not installed; "
                "pip install 'assay[mlflow]', or take tracker=none"
            )

    def tell(self, run: Run, sweep: Path | None = None) -> None:
        """Tell of ``run``; nothing where its folder says that it was told and MLflow still has it."""
        with quiet_mlflow():
            client = self._client()
            parent = None if sweep is None else self._known(client, sweep)
            if sweep is not None and parent is None:
                raise LookupError(f"the sweep {sweep} has no parent run")
            record = self._known(client, run.folder)
            if record is not None and record.finished and _is_below(client, record, parent):
                return
            entries = entries_of(run)
            tags = {**entries.tags, **({} if parent is None else {PARENT: parent.run_id})}
            if record is None:
                name = run.folder.name if parent is None else f"job {run.folder.name}"
                record = self._make(client, run.folder, name, tags, entries.start)
            _file(client, record.run_id, entries, tags)
            for file in files.ALL:
                client.log_artifact(record.run_id, str(run.folder / file))
            client.set_terminated(record.run_id, "FINISHED", entries.end)
            self._finish(run.folder, record)

    def begin_sweep(self, sweep: Path) -> None:
        """Make the parent run of the sweep in folder ``sweep``, or open it again where the folder names one."""
        with quiet_mlflow():
            client = self._client()
            record = self._known(client, sweep)
            if record is not None:
                client.update_run(record.run_id, status="RUNNING")
                return
            sweep.mkdir(parents=True, exist_ok=True)
            tags = {"mlflow.source.type": "LOCAL", "mlflow.source.name": "assay"}
            self._make(client, sweep, f"sweep {sweep.name}", tags, None)

    def end_sweep(self, sweep: Path, status: str) -> None:
        """Tell the sweep's leaderboard and verdict, and close the parent with ``status``."""
        with quiet_mlflow():
            client = self._client()
            record = self._known(client, sweep)
            if record is None:
                return
            for file in OF_A_SWEEP:
                if (sweep / file).is_file():
                    client.log_artifact(record.run_id, str(sweep / file))
            client.set_terminated(record.run_id, status)
            self._finish(sweep, record)

    def _client(self) -> Any:
        from mlflow import MlflowClient

        if self.config.uri is not None:
            return MlflowClient(self.config.uri)
        LOCAL.mkdir(parents=True, exist_ok=True)
        return MlflowClient(f"sqlite:///{(LOCAL / DATABASE).resolve().as_posix()}")

    def _experiment(self, client: Any) -> str:
        """The experiment's id; it is made if it is not there, and another process may make it first."""
        from mlflow.exceptions import MlflowException

        name = self.config.experiment
        found = client.get_experiment_by_name(name)
        if found is None:
            place = None if self.config.uri is not None else (LOCAL / "artifacts").resolve().as_uri()
            try:
                return str(client.create_experiment(name, artifact_location=place))
            except MlflowException:
                found = client.get_experiment_by_name(name)
                if found is None:
                    raise
        return str(found.experiment_id)

    def _known(self, client: Any, folder: Path) -> Record | None:
        """What ``folder`` says of itself, if it was told here and MLflow still has it."""
        from mlflow.exceptions import MlflowException

        record = read_record(folder)
        if record is None or (record.uri, record.experiment) != (self.place, self.config.experiment):
            return None
        try:
            found = client.get_run(record.run_id)
        except MlflowException as error:
            if error.error_code in ("RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE"):
                return None
            raise
        return record if found.info.lifecycle_stage == "active" else None

    def _make(self, client: Any, folder: Path, name: str, tags: Mapping[str, str], start: int | None) -> Record:
        """A run of MLflow for ``folder``, written down there at once, so that it is gone on with and not made twice."""
        made = client.create_run(self._experiment(client), start_time=start, tags=dict(tags), run_name=cut(name, 250))
        record = Record(self.place, self.config.experiment, made.info.run_id, finished=False)
        write_record(folder, record)
        return record

    def _finish(self, folder: Path, record: Record) -> None:
        write_record(folder, Record(record.uri, record.experiment, record.run_id, finished=True))


def _file(client: Any, run_id: str, entries: Entries, tags: Mapping[str, str]) -> None:
    """Params, metrics and tags, in as many requests as MLflow's limits ask for."""
    from mlflow.entities import Metric, Param, RunTag

    client.log_batch(run_id, tags=[RunTag(*one) for one in tags.items()])
    for params in _portions([Param(*one) for one in entries.params.items()], MOST_PARAMS):
        client.log_batch(run_id, params=params)
    metrics = [Metric(name, float(value), entries.end, 0) for name, value in entries.metrics.items()]
    for portion in _portions(metrics, MOST_METRICS):
        client.log_batch(run_id, metrics=portion)


def _portions(items: Sequence[Any], most: int) -> list[Sequence[Any]]:
    return [items[start : start + most] for start in range(0, len(items), most)]


def _is_below(client: Any, record: Record, parent: Record | None) -> bool:
    """Whether the run lies where it should; one that was told under another parent is moved by telling it again."""
    return parent is None or client.get_run(record.run_id).data.tags.get(PARENT) == parent.run_id


def installed(name: str) -> bool:
    """Whether the package ``name`` can be imported; a folder of that name in the working directory is none."""
    found = importlib.util.find_spec(name)
    return found is not None and found.origin is not None
