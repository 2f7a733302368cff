"""A real browser, and pages opened in it."""

from contracts.browser import browser, pytest_runtest_teardown, show  # noqa: F401
