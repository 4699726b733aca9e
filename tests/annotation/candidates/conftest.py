"""Small suites, runs made by hand and click logs, from which candidates are drawn."""

import pytest

from runner.annotation.candidates.anonymise import Rules
from runner.configuration.settings import conf_directory


@pytest.fixture(scope="session")
def default_rules() -> Rules:
    """The rules that are shipped."""
    return Rules.read(conf_directory() / "anonymise" / "default.yaml")
