"""From command-line overrides to a plain config: Hydra composes, its errors become one line each.

Only this package, the command line and the sweeper know Hydra. What Hydra would instantiate (sweeper and
launcher) is held against the installed plugins first.
"""

from assay.composition.compose import Composed, compose, compose_with, loader
from assay.composition.faults import hydra_fault
from assay.composition.overrides import check_overrides, quoted
from assay.composition.places import search_path, shipped_conf, shipped_data
from assay.composition.primary import SAVED_OPTION, primary_from_saved, primary_name

__all__ = [
    "SAVED_OPTION",
    "Composed",
    "check_overrides",
    "compose",
    "compose_with",
    "hydra_fault",
    "loader",
    "primary_from_saved",
    "primary_name",
    "quoted",
    "search_path",
    "shipped_conf",
    "shipped_data",
]
