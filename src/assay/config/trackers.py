"""The options of the group ``tracker``."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from assay.config.base import Model, OptionalText, fault

# What MLflow takes without a scheme: a workspace that its own settings describe.
_BY_NAME = re.compile(r"databricks(-uc)?|uc")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://(.*)", re.DOTALL)
_RIGHT = "give a server such as http://127.0.0.1:5000, a database such as sqlite:///mlflow.db, or null"


class NoTracker(Model):
    """The run folder is the record."""

    kind: Literal["none"] = "none"


class MlflowTracker(Model):
    """Every run is told to MLflow as well; the run folder stays the record."""

    kind: Literal["mlflow"] = "mlflow"
    uri: OptionalText = Field(None, description="server or database; null: a database below outputs/mlflow")
    experiment: Annotated[str, Field(min_length=1, max_length=500)] = Field(
        "assay", description="the experiment's name in MLflow, made if it is not there"
    )

    @model_validator(mode="after")
    def _not_a_folder(self) -> MlflowTracker:
        """MLflow keeps runs in folders of files no longer."""
        if self.uri is None or _BY_NAME.fullmatch(self.uri):
            return self
        found = _SCHEME.fullmatch(self.uri)
        if found is None or found[1].lower() == "file":
            raise fault("tracker.uri", f"{self.uri!r} is neither a server nor a database; {_RIGHT}")
        if not found[2].strip("/"):
            raise fault("tracker.uri", f"{self.uri!r} names nothing after ://; {_RIGHT}")
        return self


Tracker = Annotated[NoTracker | MlflowTracker, Field(discriminator="kind")]
