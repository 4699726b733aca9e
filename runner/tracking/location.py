"""Where a command about past runs looks: the store on this machine and the MLflow store, from its overrides."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.composition.overrides import read_setting
from runner.configuration.settings import TrackingSettings, home, usable, usable_folder, usable_uri
from runner.engine.trust import SETTING, Trust
from runner.tracking.mlflow_store import sqlite_uri
from runner.tracking.tracker import Tracker

_OWN = ("tracking.uri", "store", SETTING)


@dataclass(frozen=True)
class StoreLocation:
    """store: the folder of snapshots and cache. uri: the MLflow store. rest: overrides that name something else.

    trust: what may be built of what is stored there.
    """

    store: str
    uri: str
    rest: tuple[str, ...]
    trust: Trust

    @classmethod
    def of(cls, overrides: Sequence[str]) -> "StoreLocation":
        """Take `store=...`, `tracking.uri=...` and `trust=...` out of the overrides.

        Raises ConfigError for what cannot be read or used.
        """
        own: dict[str, str] = {}
        rest: list[str] = []
        for override in overrides:
            if override.startswith(f"{SETTING}="):
                # A list of modules, with or without brackets, and no sweep.
                own[SETTING] = override.partition("=")[2]
                continue
            setting = read_setting(override)
            if setting.key in _OWN:
                own[setting.key] = setting.text
            else:
                rest.append(override)
        return cls.at(own.get("store"), own.get("tracking.uri"), own.get(SETTING, ""), tuple(rest))

    @classmethod
    def at(
        cls, store: str | None = None, uri: str | None = None, trust: str = "", rest: tuple[str, ...] = ()
    ) -> "StoreLocation":
        """The store in a folder (None: the default one), and its runs at a URI (None: in the store).

        Raises ConfigError for what cannot be used.
        """
        folder = usable("store", str(home() / "mlruns") if store is None else store, usable_folder)
        place = usable("tracking.uri", sqlite_uri(f"{folder}/mlflow.db") if uri is None else uri, usable_uri)
        return cls(folder, place, rest, Trust.parse(trust))

    def tracker(self) -> Tracker:
        """The runs there, of no experiment yet."""
        return Tracker(TrackingSettings(uri=self.uri, experiment=""))
