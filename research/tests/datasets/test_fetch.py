"""Fetching data files, against a server on loopback: nothing is believed that has not the right hash."""

import hashlib
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from egonet.errors import FileError
from egonet.io import reserved
from research.datasets import fetch as module
from research.datasets.fetch import (
    DownloadError,
    _check_redirect,
    data_path,
    download,
    fetch,
    unpack,
    verify,
)
from research.datasets.registry import DataFile, DataSet, registry

CONTENT = b"0 1\n1 2\n" * 5000


class Handler(BaseHTTPRequestHandler):
    """Answers with CONTENT whole, broken off, altered, or not at all, depending on the path."""

    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path.startswith("/missing"):
            self.send_error(404)
            return
        body = (
            b"something else" if self.path.startswith("/wrong") else self.server.files.get(self.path, CONTENT)
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: 30_000 if self.path.startswith("/short") else None])

    def log_message(self, *options):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.delenv("EGONET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.asked, running.files = [], {}
    running.base = f"http://127.0.0.1:{running.server_port}"
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def one_file(*bases, archive=""):
    file = DataFile("toy/edges.txt", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "edges.txt")
    return DataSet("toy", "A toy", "none", 1, 3, 2, (file,), bases=tuple(bases), archive=archive)


def test_a_good_file_arrives_and_is_not_fetched_twice(server, tmp_path):
    chosen = one_file(f"{server.base}/good")

    paths = fetch(chosen, tmp_path)
    again = fetch(chosen, tmp_path)

    assert paths == again == [tmp_path / "toy/edges.txt"]
    assert paths[0].read_bytes() == CONTENT
    assert len(server.asked) == 1


def test_a_file_in_the_users_folder_is_used_as_it_is(server, tmp_path, monkeypatch):
    (tmp_path / "own" / "toy").mkdir(parents=True)
    (tmp_path / "own" / "toy" / "edges.txt").write_bytes(CONTENT)
    monkeypatch.setenv("EGONET_DATA", str(tmp_path / "own"))

    assert fetch(one_file(f"{server.base}/good")) == [tmp_path / "own/toy/edges.txt"]
    assert server.asked == []


def test_a_file_with_another_hash_is_thrown_away(server, tmp_path):
    with pytest.raises(DownloadError, match=r"edges.txt could not be fetched.*another sha256.*Put the file"):
        fetch(one_file(f"{server.base}/wrong"), tmp_path)

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_next_mirror_is_tried(server, tmp_path):
    said = []
    chosen = one_file(f"{server.base}/missing", f"{server.base}/wrong", f"{server.base}/good")

    assert fetch(chosen, tmp_path, said.append)[0].read_bytes() == CONTENT
    assert any("the server answered 404" in text for text in said)
    assert any("another sha256" in text for text in said)


def test_no_address_that_answers_gives_hash_and_place(server, tmp_path):
    chosen = one_file(f"{server.base}/missing")

    with pytest.raises(DownloadError, match=f"answered 404.*{chosen.files[0].sha256}"):
        fetch(chosen, tmp_path)


def test_a_file_that_is_cut_short_raises(server, tmp_path):
    with pytest.raises(DownloadError, match=r"could not be fetched"):
        fetch(one_file(f"{server.base}/short"), tmp_path)

    assert not (tmp_path / "toy/edges.txt").exists()


def test_files_of_a_killed_run_are_removed(server, tmp_path):
    (tmp_path / "toy.incoming").mkdir()
    (tmp_path / "toy.incoming" / "tmp1234").write_bytes(CONTENT[:30_000])

    assert fetch(one_file(f"{server.base}/good"), tmp_path)[0].read_bytes() == CONTENT
    assert not (tmp_path / "toy.incoming").exists()


def test_files_of_a_run_killed_after_its_last_file_are_removed(server, tmp_path):
    toy = one_file(f"{server.base}/good")
    (whole,) = fetch(toy, tmp_path)
    (tmp_path / ".toy.files.lock").touch()
    (tmp_path / "toy.incoming").mkdir()

    with reserved(tmp_path / "toy.files"):
        assert fetch(toy, tmp_path) == [whole]
        assert (tmp_path / "toy.incoming").exists(), "another process is at work"
    assert fetch(toy, tmp_path) == [whole]
    assert not (tmp_path / "toy.incoming").exists()
    assert not (tmp_path / ".toy.files.lock").exists()


def test_no_network_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("EGONET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    with pytest.raises(DownloadError, match="no connection"):
        fetch(one_file("http://127.0.0.1:9/nowhere"), tmp_path)


def test_a_damaged_file_is_found_and_replaced(server, tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))
    chosen = one_file(f"{server.base}/good")
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/edges.txt").write_bytes(b"x" * len(CONTENT))

    assert [state for _, state in verify(chosen)] == ["damaged"]
    fetch(chosen, tmp_path)
    assert [state for _, state in verify(chosen)] == ["good"]


def test_a_damaged_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))
    monkeypatch.setattr(module, "data_set", lambda _: one_file())
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/edges.txt").write_bytes(CONTENT)

    assert data_path("toy", "toy/edges.txt") == tmp_path / "toy/edges.txt"
    (tmp_path / "toy/edges.txt").write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(
        FileError, match=r"its size or sha256 differs\. Run: python -m research datasets fetch toy"
    ):
        data_path("toy", "toy/edges.txt")


def make_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_an_archive_stands_in_for_missing_files(server, tmp_path):
    make_zip(tmp_path / "toy.zip", {"TOY/edges.txt": CONTENT})
    server.files["/toy.zip"] = (tmp_path / "toy.zip").read_bytes()
    chosen = one_file(f"{server.base}/missing", archive=f"{server.base}/toy.zip")

    assert fetch(chosen, tmp_path / "data")[0].read_bytes() == CONTENT


def test_an_archive_cannot_write_outside_its_folder(tmp_path):
    make_zip(tmp_path / "evil.zip", {"../../outside.txt": b"gotcha", "../edges.txt": CONTENT})

    found = unpack(tmp_path / "evil.zip", list(one_file().files), tmp_path / "inside")

    assert found == {"toy/edges.txt": tmp_path / "inside/toy/edges.txt"}
    assert sorted(path.name for path in tmp_path.rglob("*.txt")) == ["edges.txt"]


def test_an_archive_that_would_swell_is_not_opened(tmp_path):
    make_zip(tmp_path / "bomb.zip", {"edges.txt": b"\0" * 1_000_000})

    with pytest.raises(FileError, match="more than 10,000 bytes"):
        unpack(tmp_path / "bomb.zip", list(one_file().files), tmp_path, limit=10_000)


def test_an_archive_member_with_another_hash_raises(tmp_path):
    make_zip(tmp_path / "toy.zip", {"edges.txt": b"other"})

    with pytest.raises(FileError, match="does not have the expected sha256"):
        unpack(tmp_path / "toy.zip", list(one_file().files), tmp_path)


def test_every_file_of_the_registry_has_a_hash_and_a_safe_place():
    for entry in registry().values():
        assert entry.files
        for file in entry.files:
            assert len(file.sha256) == 64
            assert not file.path.startswith("/")
            assert ".." not in file.path
            assert all(address.startswith("https://") for address in entry.addresses(file))


def test_the_data_folder_is_whole(data_folder, monkeypatch):
    states = [(file.path, state) for entry in registry().values() for file, state in verify(entry)]

    assert {state for _, state in states} == {"good"}
    assert module.folders()[0] == data_folder


def test_a_redirect_that_is_not_encrypted_raises():
    answer = requests.Response()
    answer.status_code, answer.url = 302, "https://somewhere/x"
    answer.headers["Location"] = "http://elsewhere/x"

    with pytest.raises(ValueError, match="redirects to http://elsewhere/x, which is not encrypted"):
        _check_redirect(answer)
    answer.headers["Location"] = "/y"
    _check_redirect(answer)


def test_every_answer_is_checked_for_redirects_and_certificates_are_verified(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(requests, "get", lambda url, **options: asked.append(options) or 1 / 0)

    with pytest.raises(ZeroDivisionError):
        download("https://somewhere/x", tmp_path)
    assert asked[0]["hooks"] == {"response": _check_redirect}
    assert asked[0].get("verify", True) is True
    assert list(tmp_path.iterdir()) == []


def test_a_download_is_never_written_through_a_link(tmp_path, server):
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "mine").write_text("mine")
    (tmp_path / "toy.incoming").symlink_to(tmp_path / "victim")

    with pytest.raises(OSError, match="symbolic link"):
        fetch(one_file(f"{server.base}/good"), tmp_path)
    assert (tmp_path / "victim" / "mine").read_text() == "mine"


def test_two_fetches_of_one_data_set_do_not_meet(tmp_path, server):
    with reserved(tmp_path / "toy.files"), pytest.raises(OSError, match="another process is writing to"):
        fetch(one_file(f"{server.base}/good"), tmp_path)
    assert server.asked == []
