"""Runs to decide about: made by hand for the arithmetic, and really run for what is stored, repeated and accepted."""

import pytest
from decide_office import Desk, Office, without_chinese


@pytest.fixture(scope="session")
def shared_office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """The store of all tests here: making an MLflow database takes longer than a run does."""
    office = Office(tmp_path_factory.mktemp("office"))
    assert office.client
    return office


@pytest.fixture
def office(shared_office: Office, request: pytest.FixtureRequest) -> Office:
    """An experiment of the test's own."""
    return shared_office.named(request.node.name)


@pytest.fixture(scope="session")
def two_runs(shared_office: Office) -> tuple[Office, str, str]:
    """An office with the ids of a good run and of one that answers nothing from Chinese documents."""
    office = shared_office.named("two runs")
    intervals = {"resamples": 500, "level": 0.95, "method": "percentile"}
    return office, office.log(intervals=intervals), office.log(without_chinese(), intervals=intervals)


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Desk:
    """Runs commands."""
    return Desk(capsys)
