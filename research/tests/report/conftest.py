"""A real browser for the tests of reports."""

from contracts.browser import browser, pytest_runtest_teardown, show  # noqa: F401
