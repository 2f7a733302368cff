"""Tests that lack a part skip with the command that installs it, and fail where every part is required."""

import pytest

from contracts import parts


def test_a_missing_package_skips_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.delenv("EGONET_REQUIRE", raising=False)

    with pytest.raises(
        pytest.skip.Exception, match="no_such_part is not installed: pip install no_such_part"
    ):
        parts.need("no_such_part")


def test_a_missing_program_skips_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.delenv("EGONET_REQUIRE", raising=False)
    monkeypatch.setenv("PATH", "")

    with pytest.raises(pytest.skip.Exception, match="java is not installed: apt-get install openjdk-17"):
        parts.need_java()


@pytest.mark.parametrize(
    "need", [lambda: parts.need("no_such_part"), lambda: parts.need_program("no_such", "-")]
)
def test_a_missing_part_fails_where_every_part_is_required(monkeypatch, need):
    monkeypatch.setenv("EGONET_REQUIRE", "all")

    with pytest.raises(pytest.fail.Exception, match="EGONET_REQUIRE=all, but no_such"):
        need()
