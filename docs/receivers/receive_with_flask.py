import json
import os
import signal
import sys

from flask import Flask, request
from waitress import serve
from webhook import is_authentic, read_secret

SECRET = read_secret()
LIMIT = 1 << 20

app = Flask(__name__)


def enqueue(body: bytes) -> None:
    os.write(1, body)  # Put it into a queue.


def log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@app.post("/hooks")
def receive() -> tuple[str, int]:
    request.max_content_length = LIMIT  # Other routes keep theirs. Needs Flask 3.1.
    try:
        body = request.get_data()  # Before anything else reads the body.
    except Exception as error:  # It is too large, or breaks off.
        status = getattr(error, "code", 400)
        log(f"webhook rejected with {status}: the body cannot be read")
        return "", status
    # WSGI servers join repeated headers, which makes the signature invalid.
    if not is_authentic(SECRET, request.headers.get("X-Service-Signature"), body):
        log("webhook rejected with 401: the signature is missing or not valid")
        return "", 401
    try:
        enqueue(body)
    except Exception as error:
        log(f"webhook failed: {json.dumps(str(error))}")
        return "", 500
    return "", 204


if __name__ == "__main__":
    # Unlike the server of Flask, waitress is for production. It closes connections without progress, and
    # its limit, which counts the frames of chunks too, is 1 GiB by default.
    limits = {"channel_timeout": 10, "cleanup_interval": 1, "max_request_body_size": 2 * LIMIT}
    host, port = os.environ.get("LISTEN_HOST") or "127.0.0.1", os.environ.get("PORT") or "8080"
    # waitress ignores SIGTERM as process 1 and otherwise ends at once; now it waits 5 seconds for handlers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    serve(app, host=host, port=int(port), **limits)
