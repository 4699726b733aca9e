"""Accepted runs: made by hand for the arithmetic and the figure, and really run for what the command reads."""

import pytest
from decide_office import Office


@pytest.fixture(scope="session")
def trend_office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """The store of all tests here: making an MLflow database takes longer than a run does."""
    office = Office(tmp_path_factory.mktemp("trend"))
    assert office.client
    return office


@pytest.fixture
def office(trend_office: Office, request: pytest.FixtureRequest) -> Office:
    """An experiment and a suite of the test's own."""
    office = trend_office.named(request.node.name)
    office.suite_name = request.node.name.replace("[", " ").replace("]", "")
    return office
