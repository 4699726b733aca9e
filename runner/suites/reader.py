"""What a reader of suites is: whatever makes a suite of judged questions."""

from typing import Protocol

from runner.suites.suite import Suite


class SuiteReader(Protocol):
    """A reader of your own needs this method alone; its parameters are the keys of `suite:` in the configuration."""

    def read(self) -> Suite:
        """Return the suite, checked. Raises InputError listing the problems of its files with their lines."""
        ...
