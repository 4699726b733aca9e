"""Runs that somebody else may have written, and the commands that read them."""

import pytest
from decide_office import Desk, Office


@pytest.fixture(scope="session")
def shared_office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """The store of all tests here: making an MLflow database takes longer than a run does."""
    office = Office(tmp_path_factory.mktemp("office"))
    assert office.client
    return office


@pytest.fixture
def office(shared_office: Office, request: pytest.FixtureRequest) -> Office:
    """An experiment of the test's own, with a suite of its own to be accepted for."""
    own = shared_office.named(request.node.name)
    own.suite_name = f"suite {abs(hash(request.node.name))}"
    return own


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Desk:
    """Runs commands."""
    return Desk(capsys)
