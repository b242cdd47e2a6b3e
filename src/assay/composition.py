"""From command-line overrides to a plain config: Hydra composes, its errors become one line each.

Only this module, the command line and the sweeper know Hydra. Nothing is instantiated here, and what Hydra
would instantiate (sweeper and launcher) is held against the installed plugins first.
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hydra import version
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_search_path_impl import ConfigSearchPathImpl
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override
from hydra.core.utils import JobRuntime, setup_globals
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf import grammar_parser as interpolations
from omegaconf.errors import GrammarParseError, OmegaConfBaseException
from yaml import YAMLError

from assay.config import GROUPS, Config, nearest
from assay.config.gate import refuse_targets
from assay.config.models import Model
from assay.errors import ConfigError

PRIMARY = "config"
MERGED_PRIMARY = "assay_primary"
ASSAY_SWEEPER = "hydra_plugins.assay_sweeper.AssaySweeper"
SAVED_OPTION = "_saved"
FIXED_HYDRA_KEYS = {
    "hydra.run.dir": "a run's folder is run_dir=…",
    "hydra.sweep.subdir": "jobs are named by their numbers",
    "hydra.output_subdir": "the run folder has its own config.yaml and manifest.json",
    "hydra.job.chdir": "runs never change the working directory",
    "hydra.mode": "use -m for a sweep",
    "hydra.sweeper": "sweeps are assay's own; set hydra.sweep.dir or hydra/launcher",
    "hydra/sweeper": "sweeps are assay's own; set hydra.sweep.dir or hydra/launcher",
    "hydra.callbacks": "callbacks are not supported",
    "hydra/callbacks": "callbacks are not supported",
    "hydra.searchpath": "use --config-dir DIR for options of your own",
    "hydra.job_logging": "assay keeps no log files",
    "hydra/job_logging": "assay keeps no log files",
    "hydra.hydra_logging": "assay keeps no log files",
    "hydra/hydra_logging": "assay keeps no log files",
}
# What Hydra's own part must hold, whichever file it came from.
FIXED_VALUES: dict[str, tuple[Any, ...]] = {
    "hydra.run.dir": (".",),
    "hydra.output_subdir": (None,),
    "hydra.job.chdir": (False, None),
    "hydra.searchpath": ([],),
}


@dataclass(frozen=True, slots=True)
class Composed:
    """A composed config: ``job`` is plain and resolved, ``hydra`` is Hydra's own part."""

    job: dict[str, Any]
    hydra: DictConfig


def shipped_conf() -> Path:
    """The folder of the shipped ``conf/``: inside the installed package, or beside ``src/`` in a checkout."""
    return shipped("conf")


def shipped_data() -> Path:
    """The folder of the bundled golden sets."""
    return shipped("data")


def shipped(name: str) -> Path:
    """A folder that travels with the package."""
    inside = Path(str(importlib.resources.files("assay"))) / name
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / name


def user_confs(config_dirs: Sequence[str] = ()) -> list[Path]:
    """Folders searched before the shipped one: each ``--config-dir``, then ``conf/`` in the working directory.

    Raises
    ------
    ConfigError
        A ``--config-dir`` is no folder.
    """
    found = []
    for given in config_dirs:
        folder = Path(given).absolute()
        if not given or not folder.is_dir():
            raise ConfigError(
                f"--config-dir: {given or repr(given)} is no folder; give one that holds options such as chunker/mine.yaml"
            )
        found.append(folder)
    own = Path.cwd() / "conf"
    if own.is_dir():
        found.append(own)
    shipped_folder = shipped_conf().resolve()
    return [folder for folder in found if folder.resolve() != shipped_folder]


def search_path(config_dirs: Sequence[str] = ()) -> ConfigSearchPath:
    """Where Hydra looks: its own options, the user's folders, the shipped ``conf/``, schemas last."""
    from hydra.core.plugins import Plugins
    from hydra.plugins.search_path_plugin import SearchPathPlugin

    path = ConfigSearchPathImpl()
    path.append("hydra", "pkg://hydra.conf")
    for folder in user_confs(config_dirs):
        path.append("command-line", f"file://{folder}")
    path.append("main", f"file://{shipped_conf()}")
    for plugin in Plugins.instance().discover(SearchPathPlugin):
        cast(type[SearchPathPlugin], plugin)().manipulate_search_path(path)
    path.append("schema", "structured://")
    return path


def primary_from_saved(saved: Mapping[str, Any]) -> str:
    """Name of a primary config that stands for a saved one: each group is an option of its own.

    So a group override (``chunker=sentences``) brings that option's own defaults, and a key override changes one
    thing. Groups that a saved config has none of (cache, …) are the shipped ones.
    """
    store = ConfigStore.instance()
    shipped_primary = _load_yaml(shipped_conf() / "config.yaml")
    defaults: list[Any] = []
    for entry in shipped_primary.pop("defaults"):
        group = str(next(iter(entry))) if isinstance(entry, dict) else ""
        if group in saved and isinstance(saved[group], Mapping):
            store.store(group=group, name=SAVED_OPTION, node=dict(saved[group]), provider="assay")
            entry = {group: SAVED_OPTION}
        defaults.append(entry)
    values = {key: value for key, value in saved.items() if key not in GROUPS}
    node = OmegaConf.create({"defaults": defaults})
    node.merge_with(OmegaConf.merge(OmegaConf.create(shipped_primary), OmegaConf.create(values)))
    store.store(name=MERGED_PRIMARY, node=node, provider="assay")
    return MERGED_PRIMARY


def primary_name(config_dirs: Sequence[str] = ()) -> str:
    """Name of the primary config: the shipped one, or the shipped one with the user's ``config.yaml`` laid over it.

    A user's file may be partial: its values win, its ``defaults`` entries replace those of the same group.
    """
    partial = [
        folder / "config.yaml" for folder in reversed(user_confs(config_dirs)) if (folder / "config.yaml").is_file()
    ]
    if not partial:
        return PRIMARY
    merged = _load_yaml(shipped_conf() / "config.yaml")
    defaults = list(merged.pop("defaults"))
    body = OmegaConf.create(merged)
    for file in partial:
        own = _load_yaml(file)
        entries = own.pop("defaults", None) or []
        _check_partial(file, own, entries)
        for entry in entries:
            defaults = _with_default(defaults, entry)
        body = OmegaConf.merge(body, OmegaConf.create(own))  # type: ignore[assignment]
    node = OmegaConf.create({"defaults": defaults})
    node.merge_with(body)
    ConfigStore.instance().store(name=MERGED_PRIMARY, node=node, provider="assay")
    return MERGED_PRIMARY


def _check_partial(file: Path, own: dict[str, Any], entries: Any) -> None:
    """Refuse what Hydra would stumble over, or act on before the gate can judge it."""
    if not isinstance(entries, list):
        raise ConfigError(f"{file}: defaults: {entries!r} is no list; give lines such as - chunker: document")
    for entry in entries:
        if not isinstance(entry, str) and not (isinstance(entry, dict) and len(entry) == 1):
            raise ConfigError(f"{file}: defaults: {entry!r} is no entry; give lines such as - chunker: document")
    hydra = own.get("hydra", {})
    if not isinstance(hydra, dict):
        raise ConfigError(f"{file}: hydra: {hydra!r} is no mapping; leave it out")
    if hydra.get("searchpath"):
        raise ConfigError(f"{file}: hydra.searchpath: can't be set; {FIXED_HYDRA_KEYS['hydra.searchpath']}")


def _with_default(defaults: list[Any], entry: Any) -> list[Any]:
    if entry == "_self_":
        return defaults
    if isinstance(entry, dict):
        group = next(iter(entry))
        plain = str(group).removeprefix("override ").removeprefix("/")
        for i, old in enumerate(defaults):
            if isinstance(old, dict) and str(next(iter(old))).removeprefix("override ").removeprefix("/") == plain:
                return [*defaults[:i], {next(iter(old)): entry[group]}, *defaults[i + 1 :]]
    at = defaults.index("_self_")
    return [*defaults[:at], entry, *defaults[at:]]


def _load_yaml(file: Path) -> dict[str, Any]:
    try:
        loaded = OmegaConf.to_container(OmegaConf.load(file), resolve=False)
    except (YAMLError, OmegaConfBaseException, UnicodeDecodeError, OSError) as error:
        raise ConfigError(yaml_fault(file, error)) from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError(f"{file}:1: no mapping; give lines such as seed: 7")
    return {str(key): value for key, value in loaded.items()}


def yaml_fault(file: Path | str, error: Exception) -> str:
    """One line for a YAML file that can't be read."""
    mark = getattr(error, "problem_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    return f"{file}{line}: {getattr(error, 'problem', None) or error}; give plain YAML"


def check_overrides(overrides: Sequence[str], multirun: bool) -> None:
    """Refuse, in one line, overrides that name code, that assay fixes, or that Hydra's grammar can't read."""
    parser = OverridesParser.create()
    for text in overrides:
        key = text.split("=", 1)[0]
        bare = key.lstrip("+~").split("@")[0]
        if "_target_" in key:
            raise ConfigError(f"{bare}: names code to run; a config may only choose options by kind")
        for fixed, instead in FIXED_HYDRA_KEYS.items():
            if bare == fixed or bare.startswith(fixed + "."):
                raise ConfigError(f"{bare}: can't be set ({text}); {instead}")
        if bare == "run_dir" and multirun:
            raise ConfigError(f"run_dir: names the folder of one run ({text}); for a sweep give hydra.sweep.dir=…")
        try:
            parsed = parser.parse_override(text)
        except (OverrideParseException, HydraException) as error:
            raise ConfigError(_grammar_fault(text, error, parser)) from None
        if not bare:
            raise ConfigError(f"{text}: no override; give KEY=VALUE, such as chunker.size=64")
        _check_value(bare, parsed)
        if parsed.is_sweep_override() and not multirun:
            raise ConfigError(
                f"{bare}: {text.split('=', 1)[1]!r} is several values; add -m for a sweep, "
                f"[…] for a list, or quote one value: {quoted(text)}"
            )


def _check_value(key: str, parsed: Override) -> None:
    """Refuse a value that names code, and one that can't choose an option of a group."""
    value = parsed.value()
    for one in value.list if isinstance(value, ChoiceSweep) else [value]:
        refuse_targets(one, key)
        if key in (*GROUPS, "experiment") and not parsed.is_delete() and (one is None or isinstance(one, int | float)):
            shown = parsed.get_value_string()
            raise ConfigError(f"{key}: {shown} is no option; give {key}=NAME, one that assay run --help lists")


def quoted(text: str) -> str:
    """The override ``text`` with its value quoted for Hydra's grammar and for the shell."""
    key, _, value = text.partition("=")
    try:
        interpolations.parse(value)
    except GrammarParseError:
        value = re.sub(r"(\\*)\$\{", r"\1\1\\${", value)
    # In quotes Hydra halves the backslashes in front of a quotation mark and keeps all others.
    inner = re.sub(r'(\\*)"', r'\1\1\\"', value)
    inner = re.sub(r"(\\+)$", r"\1\1", inner)
    return "'" + f'{key}="{inner}"'.replace("'", "'\\''") + "'"


def _grammar_fault(text: str, error: Exception, parser: OverridesParser) -> str:
    key, equals, value = text.partition("=")
    if not equals:
        return f"{text}: no override; give KEY=VALUE, such as chunker.size=64"
    fixed = quoted(text)
    try:
        parser.parse_override(fixed[1:-1].replace("'\\''", "'"))
    except HydraException:
        return unknown_key(key, [text])
    return f"{key}: Hydra's grammar can't read the value {value!r} as it stands; quote it: {fixed}"


def loader(config_dirs: Sequence[str] = ()) -> ConfigLoaderImpl:
    """A Hydra config loader over ``search_path``."""
    version.setbase("1.3")
    setup_globals()
    JobRuntime().set("name", "assay")
    return ConfigLoaderImpl(config_search_path=search_path(config_dirs))


def compose(
    overrides: Sequence[str],
    config_dirs: Sequence[str] = (),
    multirun: bool = False,
    saved: Mapping[str, Any] | None = None,
) -> Composed:
    """The config that ``overrides`` make, resolved.

    With ``multirun``, sweeping overrides are left out, as Hydra does; the result then serves only to read and
    check Hydra's own part.

    Raises
    ------
    ConfigError
        One line: key, value, what would be right.
    """
    check_overrides(overrides, multirun)
    name = primary_name(config_dirs) if saved is None else primary_from_saved(saved)
    return compose_with(loader(config_dirs), name, overrides, multirun)


def compose_with(source: ConfigLoaderImpl, name: str, overrides: Sequence[str], multirun: bool = False) -> Composed:
    """``compose`` with a loader at hand, for many jobs of one sweep."""
    mode = RunMode.MULTIRUN if multirun else RunMode.RUN
    try:
        config = source.load_configuration(config_name=name, overrides=list(overrides), run_mode=mode)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{_not_utf8(source)}: byte {error.start} is no UTF-8; save the file as UTF-8") from None
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        raise ConfigError(hydra_fault(error, overrides)) from None
    except (ValueError, AttributeError) as error:
        # What Hydra raises over an option file that is YAML but no config, such as a number among its defaults.
        raise ConfigError(f"config: an option file is no config ({error}); give lines such as size: 64") from None
    try:
        return _resolved(config)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(hydra_fault(error, overrides)) from None


def _not_utf8(source: ConfigLoaderImpl) -> Path | str:
    """The first config file on the search path that is no UTF-8; Hydra doesn't say which it was reading."""
    for entry in source.get_search_path().get_path():
        folder = Path(entry.path.removeprefix("file://"))
        for file in sorted(folder.rglob("*.yaml")) if entry.path.startswith("file://") else []:
            try:
                file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                return file
            except OSError:
                continue
    return "config"


def _resolved(config: DictConfig) -> Composed:
    check_hydra_part(config.hydra)
    previous = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)
    try:
        job = {
            str(key): OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node := config[key]) else node
            for key in config
            if key != "hydra"
        }
    finally:
        HydraConfig.instance().cfg = previous
    refuse_targets(job)
    with open_dict(config):
        return Composed(job, config.hydra)


def check_hydra_part(hydra: DictConfig) -> None:
    """Refuse every ``_target_`` in Hydra's part but those that an installed sweeper or launcher declares."""
    plain = OmegaConf.to_container(hydra, resolve=False)
    assert isinstance(plain, dict)
    for part in ("launcher", "sweeper"):
        node = plain.get(part)
        if isinstance(node, dict) and "_target_" in node:
            target = node.pop("_target_")
            if part == "sweeper" and target in _declared_targets(part) and target != ASSAY_SWEEPER:
                raise ConfigError(f"hydra/sweeper: can't be set ({target!r}); {FIXED_HYDRA_KEYS['hydra/sweeper']}")
            if target not in _declared_targets(part):
                raise ConfigError(
                    f"hydra.{part}._target_: {target!r} names code to run; "
                    f"choose an installed plugin by hydra/{part}=NAME"
                )
    refuse_targets(plain, "hydra")
    for key, allowed in FIXED_VALUES.items():
        node = OmegaConf.select(hydra, key.removeprefix("hydra."))
        value = OmegaConf.to_container(node) if OmegaConf.is_config(node) else node
        if value not in allowed:
            raise ConfigError(f"{key}: can't be set ({value!r}); {FIXED_HYDRA_KEYS[key]}")
    for part in ("job_logging", "hydra_logging"):
        # Python's logging calls whatever a handler, a formatter or a filter names.
        for name in plain.get(part) or {}:
            if name not in {"version", "root", "disable_existing_loggers"}:
                raise ConfigError(f"hydra.{part}.{name}: can't be set; {FIXED_HYDRA_KEYS[f'hydra.{part}']}")


def _declared_targets(part: str) -> set[str]:
    options = ConfigStore.instance().repo.get("hydra", {}).get(part, {})
    return {str(OmegaConf.select(option.node, "_target_")) for option in options.values()}


def hydra_fault(error: Exception, overrides: Sequence[str]) -> str:
    """One line for what Hydra, OmegaConf or PyYAML raised while composing."""
    text = str(error)
    if isinstance(error, MissingConfigException) and error.missing_cfg_file and error.options is not None:
        group, _, option = error.missing_cfg_file.rpartition("/")
        options = list(error.options)
        if group and not options and group != "experiment":
            return unknown_key(group, [f"{group}={option}"])
        return f"{group}: {option!r} is no option{nearest(option, options)}; options: {', '.join(sorted(options))}"
    missed = re.search(r"Could not override '([^']+)'", text)
    if missed:
        return unknown_key(missed.group(1), overrides)
    absent = re.search(r"Could not delete from config. '([^']+)' does not exist", text)
    if absent:
        return unknown_key(absent.group(1), overrides)
    twice = re.search(r"Multiple values for (\S+)\. To override a value use 'override \S+: ([^']*)'", text)
    if twice:
        group, option = twice.groups()
        return f"{group}: chosen twice; give {group}={option} without +, or - override /{group}: {option} in a file"
    unread = re.search(r"In '([^']+)': Could not load '([^']+)'", text)
    if unread:
        where, what = unread.groups()
        where = "conf/config.yaml" if where in {PRIMARY, MERGED_PRIMARY} else f"{where}.yaml"
        return f"{where}: its defaults name {what!r}, which is no option; give lines such as - chunker: document"
    if isinstance(error, YAMLError):
        mark = getattr(error, "problem_mark", None)
        return yaml_fault(mark.name if mark else getattr(error, "name", "a config file"), error)
    cause = error.__cause__
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if cause is not None:
        lines += [line.strip() for line in str(cause).splitlines() if line.strip()][:1]
    if lines and "interpolation" in " ".join(lines).lower():
        key = getattr(error, "full_key", None) or getattr(cause, "full_key", None)
        return f"{key or 'config'}: {lines[0]}"
    wrong = re.search(r"Key '[^']+' not in '[^']+'\s+full_key: (\S+)", f"{text}\n{cause}")
    if wrong:
        return unknown_key(wrong.group(1), overrides)
    for override in overrides:
        key = override.split("=", 1)[0].lstrip("+~")
        if override in text or f"'{key}'" in text:
            return f"{key}: {' '.join(lines[:3])}"
    return "config: " + " ".join(lines[:3])


def unknown_key(key: str, overrides: Sequence[str]) -> str:
    """One line for an override of a key that no option has."""
    value = next((text.split("=", 1)[1] for text in overrides if text.split("=", 1)[0] == key and "=" in text), "")
    known = known_keys()
    top = key.split(".")[0]
    shown = f" (value {value!r})" if value else ""
    if top == "hydra":
        return f"{key}: no such key of Hydra's{shown}; assay run --cfg hydra shows them"
    if key in known and "." in key:
        having = " or ".join(f"{top}={kind}" for kind in kinds_with(top, key.split(".")[1]))
        return f"{key}: the chosen option of {top} has no such key{shown}; {having} has it"
    pool = known if "." in key else [*GROUPS, *[name for name in known if "." not in name]]
    same_group = [name for name in known if name.startswith(top + ".")]
    inside = nearest(key.removeprefix(f"{top}."), [name.removeprefix(f"{top}.") for name in same_group])
    close = inside.replace("mean ", f"mean {top}.") if same_group and "." in key else nearest(key, pool)
    return f"{key}: no such key{shown}{close or '; keys: ' + ', '.join(same_group or sorted({n.split('.')[0] for n in known}))}"


def kinds_with(group: str, key: str) -> list[str]:
    """The kinds of ``group`` that have ``key``."""
    import typing

    annotation = Config.model_fields[group].annotation
    options = typing.get_args(annotation) or (annotation,)
    return [str(option.model_fields["kind"].default) for option in options if key in option.model_fields]


def known_keys() -> list[str]:
    """Every dotted key of every option, in the models' order."""
    import typing

    keys: list[str] = []
    for name, field in Config.model_fields.items():
        options = [field.annotation, *typing.get_args(field.annotation)]
        models = [option for option in options if isinstance(option, type) and issubclass(option, Model)]
        if not models:
            keys.append(name)
        for model in models:
            keys.extend(f"{name}.{inner}" for inner in model.model_fields if f"{name}.{inner}" not in keys)
    return keys
