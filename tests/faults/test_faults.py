"""A few kills and faults of the quick commands; `python -m faults.kill` and `faults.stress` run all of them."""

import pytest

from egonet.errors import FileError
from egonet.io.paths import require_unchanged
from faults import cases, server
from faults.kill import torture
from faults.stress import changed_data, changed_input, limited_files, signals, two_writers, undisturbed

pytestmark = pytest.mark.long

QUICK = [cases.ENCODE_FILES[".npz"], cases.ENCODE_FOLDER, cases.UPDATE, cases.FETCH]


@pytest.fixture(autouse=True)
def local_server(monkeypatch):
    running = server.start()
    monkeypatch.setenv("FAULTS_SERVER", running.base)
    yield running
    running.shutdown()
    running.server_close()


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_a_killed_command_can_be_repeated(case):
    tally = torture(case, moments=2, seed=1)

    assert tally.is_clean, tally


@pytest.mark.parametrize(
    "case", [cases.ENCODE_FILES[".mtx"], cases.ENCODE_FOLDER], ids=lambda case: case.name
)
def test_a_full_disk_gives_one_sentence_and_leaves_no_files(case):
    assert limited_files(case, {}) == ""


@pytest.mark.parametrize(
    "case", [cases.ENCODE_FILES[".csv"], cases.UPDATE, cases.EXPLORE], ids=lambda case: case.name
)
def test_a_second_writer_fails(case):
    assert two_writers(case, undisturbed(case)) == ""


def test_a_stopped_command_leaves_no_partial_file():
    assert signals(cases.ENCODE_FILES[".npz"], undisturbed(cases.ENCODE_FILES[".npz"]), moments=2) == ""


def test_an_update_from_a_truncated_file_changes_nothing():
    assert changed_input(cases.UPDATE, "added.txt", "cut") == ""


@pytest.mark.usefixtures("data_folder")
def test_a_changed_data_set_gives_no_result():
    assert changed_data(cases.RUN, "added to") == ""


@pytest.mark.parametrize("what", ["changed", "was removed"])
def test_a_file_changed_while_it_is_read_raises(tmp_path, what):
    path = tmp_path / "edges.txt"
    path.write_text("1 2\n")

    with pytest.raises(FileError, match=rf"edges\.txt {what} while it was read"), require_unchanged(path):
        path.write_text("1 2\n2 3\n") if what == "changed" else path.unlink()
