"""A server on this machine that hands out the files of a toy data set slowly, and goes on where it is asked to."""

import hashlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FILES = {f"part{number}.txt": bytes([48 + number]) * 400_000 for number in range(4)}
_PIECE = 20_000


def sha256(name: str) -> str:
    """Return the hash of a file."""
    return hashlib.sha256(FILES[name]).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Handles requests for FILES by range, in small chunks every few milliseconds."""

    def do_GET(self):
        self.server.asked += 1
        body = FILES[self.path.rsplit("/", 1)[-1]]
        begin = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        if begin >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(body) - begin))
        self.end_headers()
        try:
            for first in range(begin, len(body), _PIECE):
                self.wfile.write(body[first : first + _PIECE])
                time.sleep(0.002)
        except OSError:
            pass  # the one who asked was killed

    def log_message(self, *arguments):
        pass


def start() -> ThreadingHTTPServer:
    """Return a running server; `base` is its address, `asked` how many requests came."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.base = 0, f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
