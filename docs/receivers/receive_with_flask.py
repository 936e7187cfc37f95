import os

from flask import Flask, request
from waitress import serve
from webhook import is_authentic

SECRET = os.environ["PROFILE_WEBHOOK_SECRET"].encode()
if not SECRET:
    raise SystemExit("PROFILE_WEBHOOK_SECRET is empty")

LIMIT = 1 << 20

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = LIMIT


@app.post("/hooks")
def receive() -> tuple[str, int]:
    body = request.get_data()  # Before anything else reads the body.
    # WSGI servers join repeated headers, which makes the signature invalid.
    if not is_authentic(SECRET, request.headers.get("X-Service-Signature"), body):
        return "", 401
    print(body)  # Put it into a queue.
    return "", 204


if __name__ == "__main__":
    # Unlike the server of Flask, waitress is for production. It closes connections without progress, and
    # its limit, which counts the frames of chunks too, is 1 GiB by default.
    limits = {"channel_timeout": 10, "cleanup_interval": 1, "max_request_body_size": 2 * LIMIT}
    serve(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8080")), **limits)
