"""The one gate that every config passes, composed or saved."""

from assay.config.gate import judge, nearest
from assay.config.models import GROUPS, UNSAVED, Config
from assay.config.saved import config_hash, config_yaml, load_saved, saved_part

__all__ = [
    "GROUPS",
    "UNSAVED",
    "Config",
    "config_hash",
    "config_yaml",
    "judge",
    "load_saved",
    "nearest",
    "saved_part",
]
