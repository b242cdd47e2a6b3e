"""MLflow without its own printing, its reports home, and its patience."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Iterator

# Only where the user has not said otherwise. Without them MLflow reports its use to its makers, and tries for minutes
# to reach a server that is away.
SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
}
LOGGERS = ("mlflow", "alembic", "urllib3")


@contextlib.contextmanager
def quiet_mlflow() -> Iterator[None]:
    """Inside, MLflow is silent and gives up after about two minutes at most; afterwards all is as it was."""
    own = {name: value for name, value in SETTINGS.items() if name not in os.environ}
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    os.environ.update(own)
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        for name in own:
            os.environ.pop(name, None)
