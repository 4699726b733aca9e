"""The settings of a job: where things live, and a typed, checked reading of a composed configuration."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from runner.configuration.identity import collection_name
from runner.configuration.project import project_folder
from runner.configuration.text_keys import expand_home
from runner.errors import ConfigError
from runner.files.nearest import nearest
from runner.files.scratch import scratch
from runner.rules.policy import MOST_RESAMPLES, Policy
from runner.scoring.metric_names import DEFAULT_NAMES, chosen_metrics, split_metrics

# What MLflow keeps of the name of an experiment or a dataset.
LONGEST_NAME = 500
HOME_VARIABLE = "RUNNER_HOME"
_PACKAGE = Path(__file__).resolve().parents[1]


def _checkout() -> Path | None:
    root = _PACKAGE.parent
    return root if (root / "conf").is_dir() and (root / "pyproject.toml").is_file() else None


def conf_directory() -> Path:
    """The folder of the shipped configuration files: `conf/` of a checkout, else the copy inside the wheel."""
    checkout = _checkout()
    return checkout / "conf" if checkout else _PACKAGE / "_conf"


def conf_choices(group: str) -> dict[str, Path]:
    """The files of a group by name: those of the project that one stands in, and of the program where it has none."""
    own = project_folder()
    folders = [conf_directory(), *([own / "conf"] if own else [])]
    return {path.stem: path for folder in folders for path in sorted((folder / group).glob("*.yaml"))}


def data_directory() -> Path:
    """The folder of the demo documents and suites."""
    checkout = _checkout()
    return checkout / "data" if checkout else _PACKAGE / "_data"


def home() -> Path:
    """The absolute folder that holds `mlruns/`, the same from wherever a command is started.

    `RUNNER_HOME` if set; else the project that one stands in (`runner.configuration.project`); else the checkout;
    else, for an installed wheel, the nearest folder upwards that already has an `mlruns`, or the current one.
    """
    named = os.environ.get(HOME_VARIABLE)
    if named:
        if named.startswith("~") and os.environ.get("HOME") == str(scratch()):
            # What stands in for a home folder goes with this process, and the runs would go with it.
            raise ConfigError(f"{HOME_VARIABLE}={named}: this user has no home folder; name an absolute one")
        return Path(named).expanduser().resolve()
    own = project_folder() or _checkout()
    if own:
        return own
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "mlruns").is_dir()), here)


def _sqlite(path: Any) -> str:
    return "sqlite:///" + quote(os.path.expanduser(str(path)))


def _overlap(size: Any) -> int:
    """How much two neighbouring windows share where nobody says; less than a window, however small that is."""
    return min(100, size // 3) if isinstance(size, int) else 100


def register_resolvers() -> None:
    """Make the `${runner....:}` of conf/ known to OmegaConf; safe to repeat."""
    OmegaConf.register_new_resolver("runner.scratch", lambda: str(scratch() / "hydra"), replace=True)
    OmegaConf.register_new_resolver("runner.home", lambda: str(home()), replace=True)
    OmegaConf.register_new_resolver("runner.project", lambda: str(project_folder() or Path.cwd()), replace=True)
    OmegaConf.register_new_resolver("runner.data", lambda: str(data_directory()), replace=True)
    OmegaConf.register_new_resolver("runner.sqlite", _sqlite, replace=True)
    OmegaConf.register_new_resolver("runner.collection", lambda path: collection_name(str(path)), replace=True)
    OmegaConf.register_new_resolver("runner.overlap", _overlap, replace=True)
    # Stored configurations of older runs name this one.
    OmegaConf.register_new_resolver("runner.stem", lambda path: Path(str(path)).stem or "dataset", replace=True)


def _unlisted(value: Any) -> Any:
    if isinstance(value, list):
        raise ValueError(
            f"a list is one job, not a sweep; write {','.join(map(str, value))} without brackets and start with -m"
        )
    return value


def usable_folder(place: str) -> str:
    """An absolute path of a folder that is there or can be made; ValueError for any other."""
    if "\0" in place:
        raise ValueError("expected a path without a null character")
    if not Path(place).is_absolute():
        # Relative to where a command is started, runs would scatter.
        raise ValueError(f"expected an absolute path such as {Path(place).absolute()}")
    try:
        there = next(folder for folder in (Path(place), *Path(place).parents) if folder.exists())
    except (OSError, ValueError) as error:
        raise ValueError(f"is no path ({getattr(error, 'strerror', None) or error})") from None
    if not there.is_dir():
        raise ValueError(f"{there} is not a folder; expected one that is there or can be made")
    return place


# What MLflow itself knows, besides the schemes that plugins of it bring.
_SCHEMES = ("sqlite", "http", "https", "postgresql", "mysql", "mssql", "databricks", "databricks-uc", "uc")
_PLUGINS = "mlflow.tracking_store"


def usable_uri(uri: str) -> str:
    """The URI of an MLflow store, of a scheme that MLflow knows; ValueError for any other."""
    expected = "expected sqlite:///FILE with an absolute FILE, http://HOST:PORT or another URI that MLflow knows"
    scheme, separator, rest = uri.partition("://")
    plain = scheme.partition("+")[0].lower()
    if plain == "databricks" and not separator:
        return uri
    if not separator or not rest or plain not in (*_SCHEMES, *(each.name for each in entry_points(group=_PLUGINS))):
        raise ValueError(expected)
    if plain == "sqlite":
        if not rest.startswith("/") or rest == "/":
            raise ValueError(expected)
        file = Path(unquote(rest.removeprefix("/")))
        usable_folder(str(file.parent))
        if file.is_dir():
            raise ValueError(f"{file} is a folder; expected an SQLite file")
    return uri


def usable(key: str, value: str, check: Callable[[str], str]) -> str:
    """A setting that a command takes by itself, checked as the configuration's is. Raises ConfigError."""
    try:
        return check(value)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}, found {value!r}") from None


Place = Annotated[str, AfterValidator(usable_folder)]
# Far beyond any ranking, and still a whole number to every library.
_MOST = 10_000_000
Count = Annotated[int, BeforeValidator(_unlisted), Field(strict=True, ge=1, le=_MOST)]
Node = Mapping[str, Any]


def _parted(value: Any) -> Any:
    """One module, or several with commas, is a list of them, as `rerun` takes it too."""
    return [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else value


def _metrics(value: Any) -> Any:
    """What a run measures, in one order: jobs that measure the same are the same."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError("expected metrics like [recall, ndcg@10, rbp(p=0.8)]")
    try:
        # YAML parts a list also between the parameters of one metric.
        return chosen_metrics(split_metrics(",".join(names)))
    except ConfigError as error:
        raise ValueError(str(error)) from None


class _Section(BaseModel):
    # Infinity stays what it is; by default it would be stored as null.
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")


def _experiment(name: str) -> str:
    # Empty where a command only reads, whatever the experiment.
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"expected one line of at most {LONGEST_NAME} characters, as MLflow keeps it")
    return name


class FreshnessSettings(_Section):
    """Which date field says how old the evidence is, and the windows in days."""

    field: str
    days: tuple[Count, ...]
    as_of: str | None = None


class SlicingSettings(_Section):
    """Groups derived from the data; declared ones are named by the suite."""

    freshness: FreshnessSettings | None = None


class LatencySettings(_Section):
    """How many queries are timed one by one, how many are run before unmeasured, and for how long at most."""

    sample: Annotated[int, Field(strict=True, ge=0, le=_MOST)] = 32
    warmup: Annotated[int, Field(strict=True, ge=0, le=_MOST)] = 3
    seconds: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] = 10.0


class IntervalSettings(_Section):
    """Bootstrap intervals of every logged mean, over queries."""

    resamples: Annotated[int, Field(strict=True, ge=100, le=MOST_RESAMPLES)] = 10_000
    level: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.95
    method: Literal["percentile", "bca"] = "percentile"


class TraceSettings(_Section):
    """Which queries of a run are logged as MLflow traces, at most how many, and how much each stage says."""

    queries: Literal["failures"]
    most: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 50
    candidates: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10


class TrackingSettings(_Section):
    """Where runs are logged, and how many seconds a server that has stopped answering is waited for."""

    uri: Annotated[str, AfterValidator(usable_uri)]
    experiment: Annotated[str, AfterValidator(_experiment)]
    artifacts: Place | None = None
    patience: Annotated[float, Field(ge=0)] = 60.0


class Settings(_Section):
    """One job, fully resolved.

    k cuts the ranking; depth is how far it goes; pool is what a reranker looks at. metrics: the names of those that are
    measured. time_limit: seconds that one
    task of a component may take. trust: modules of the person's own that a stored configuration may name. The nodes
    are plain mappings with a `_target_`.
    """

    k: Count
    depth: Count
    pool: Count
    seed: Annotated[int, BeforeValidator(_unlisted), Field(strict=True, ge=0, lt=2**63)]
    metrics: Annotated[tuple[str, ...], BeforeValidator(_metrics)] = DEFAULT_NAMES
    curve: Annotated[tuple[Count, ...], Field(min_length=1)]
    cache: Literal["on", "refresh", "off", "only"]
    resume: bool
    dry_run: bool
    allow_holdout: bool
    time_limit: Annotated[float, Field(gt=0)] | None = 14_400.0
    store: Place
    trust: Annotated[tuple[str, ...], BeforeValidator(_parted)] = ()
    history: Literal["prepend", "ignore"] | None
    dataset: Node
    corpus: Node
    chunker: Node
    suite: Node
    retriever: Node
    slicing: SlicingSettings
    latency: LatencySettings
    intervals: IntervalSettings | None = None
    tracking: TrackingSettings
    trace: TraceSettings | None = None
    gate: Policy | None = None

    @model_validator(mode="after")
    def _within_depth(self) -> "Settings":
        if self.k > self.depth:
            raise ValueError(f"k={self.k} is deeper than the rankings (depth={self.depth}); add depth={self.k}")
        return self

    @classmethod
    def read(cls, config: DictConfig | Mapping[str, Any]) -> "Settings":
        """Check a composed configuration. Raises ConfigError listing every problem with its key."""
        return cls.of_plain(plain(config))

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> "Settings":
        """Check a resolved mapping. Raises ConfigError listing every problem with its key."""
        try:
            return cls.model_validate({key: value for key, value in values.items() if key != "hydra"})
        except ValidationError as error:
            lines = [_explain(cls, problem) for problem in error.errors()]
            raise ConfigError("; ".join(lines)) from None

    def curve_within_depth(self) -> tuple[int, ...]:
        """The cuts of the logged curve that the rankings reach."""
        return tuple(k for k in self.curve if k <= self.depth)


def _explain(model: type[BaseModel], problem: Any) -> str:
    key = ".".join(map(str, problem["loc"]))
    if problem["type"] == "extra_forbidden":
        near = nearest(key, model.model_fields)
        return f"unknown setting {key!r}" + (f"; did you mean {near!r}?" if near else "")
    message = problem["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    if not key:
        return str(message)
    if problem["type"] == "missing":
        # What was found is all that stands beside it.
        return f"{key}: {message}"
    found = repr(problem["input"])
    found = found if len(found) <= 200 else f"{found[:197]}..."
    return f"{key}: {message}" + ("" if "a list is one job" in message else f", found {found}")


def plain(config: DictConfig | Mapping[str, Any]) -> dict[str, Any]:
    """Resolve a configuration to plain Python values. Raises ConfigError for what is missing or unresolvable."""
    if not isinstance(config, DictConfig):
        return dict(config)
    try:
        missing = [f"{key} has no value; add {key}=... to the command" for key in _missing(config)]
        if missing:
            raise ConfigError("; ".join(missing))
        resolved = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        key = error.full_key or "configuration"
        raise ConfigError(f"{key}: {str(error).splitlines()[0]}") from None
    except RecursionError:
        loops = ", ".join(_loops(config)) or "configuration"
        raise ConfigError(f"{loops}: refers to itself; give it a value") from None
    assert isinstance(resolved, dict)
    return {str(key): value for key, value in expand_home(resolved).items()}


def _loops(config: DictConfig) -> Iterator[str]:
    """The keys at the top whose value cannot be told without itself."""
    for key in config:
        try:
            OmegaConf.to_container(OmegaConf.create({str(key): config[key]}), resolve=True)
        except RecursionError:
            yield str(key)
        except OmegaConfBaseException:
            continue


def _missing(config: DictConfig | ListConfig, prefix: str = "") -> Iterator[str]:
    """Paths of the mandatory values that nobody gave; one that only refers to another is not named again."""
    keys: list[Any] = list(config) if isinstance(config, DictConfig) else list(range(len(config)))
    for key in keys:
        if OmegaConf.is_interpolation(config, key):
            if _unbound(config, key):
                yield f"{prefix}{key}"
            continue
        if OmegaConf.is_missing(config, key):
            yield f"{prefix}{key}"
        elif isinstance(config[key], DictConfig | ListConfig):
            yield from _missing(config[key], f"{prefix}{key}.")


def _unbound(config: DictConfig | ListConfig, key: Any) -> bool:
    """Whether a value is left to the dataset, which, being of another kind, does not bind it."""
    bound = re.fullmatch(r"\$\{dataset\.(\w+)\}", str(config._get_node(key)._value()))  # type: ignore[union-attr]
    dataset = OmegaConf.select(config._get_root(), "dataset")
    return bool(bound) and isinstance(dataset, DictConfig) and bound[1] not in dataset  # type: ignore[index]
