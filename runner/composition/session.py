"""Hydra as this program needs it, for a while: what it, and OmegaConf, keep for the process is afterwards as it was."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hydra import initialize_config_dir
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra

from runner.composition.config_files import checked_config_files
from runner.composition.hydra_internals import apart
from runner.configuration.settings import conf_directory, register_resolvers
from runner.configuration.text_keys import yaml_as_spelt

# There is one Hydra a process.
_alone = threading.RLock()


@contextmanager
def reading_conf() -> Iterator[None]:
    """Meanwhile, have configuration files read with their text as text, checked, and `${runner....:}` known."""
    with _alone, checked_config_files(), yaml_as_spelt(), apart():
        register_resolvers()
        yield


@contextmanager
def hydra_on_conf() -> Iterator[ConfigLoader]:
    """A Hydra of one's own that reads conf/, whoever else uses one in this process."""
    with reading_conf(), initialize_config_dir(str(conf_directory()), version_base="1.3", job_name="runner"):
        yield GlobalHydra.instance().config_loader()
