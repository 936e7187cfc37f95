import asyncio
import json
import os
import signal
import sys

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from waitress import serve
from webhook import is_authentic, read_secret

SECRET = read_secret()
LIMIT = 1 << 20


def enqueue(body: bytes) -> None:
    os.write(1, body)  # Put it into a queue.


def log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def reject(status: int, reason: str) -> HttpResponse:
    log(f"webhook rejected with {status}: {reason}")
    return HttpResponse(status=status)


@csrf_exempt  # Otherwise, CsrfViewMiddleware responds to every delivery with 403.
def receive(request: HttpRequest) -> HttpResponse:
    body = request.body  # Before anything else reads the body.
    if len(body) > LIMIT:
        return reject(413, "the body is too large")
    # Servers join repeated headers, which makes the signature invalid.
    if not is_authentic(SECRET, request.headers.get("X-Service-Signature"), body):
        return reject(401, "the signature is missing or not valid")
    try:
        enqueue(body)
    except Exception as error:
        log(f"webhook failed: {json.dumps(str(error))}")
        return HttpResponse(status=500)
    return HttpResponse(status=204)


# In a project, these lines are in other files. Django's own limit, 2.5 MiB, would respond with 400, and its
# log of responses would contain the path, which the sender writes.
quiet = {"version": 1, "disable_existing_loggers": False, "loggers": {"django.request": {"level": "CRITICAL"}}}
csrf = "django.middleware.csrf.CsrfViewMiddleware"
settings.configure(ROOT_URLCONF=__name__, MIDDLEWARE=[csrf], LOGGING=quiet)
urlpatterns = [path("hooks", receive)]

wsgi = get_wsgi_application()
django = get_asgi_application()


async def read(receive) -> dict:
    """Returns the body as one message, or at least one byte too many."""
    body, message = b"", {"more_body": True}
    while message.get("more_body") and len(body) <= LIMIT:
        message = await receive()
        body += message.get("body", b"")
    return {**message, "body": body, "more_body": False}


async def asgi(scope, receive, send) -> None:
    """Reads the body before Django, which would write one of any size to the disk."""
    try:
        messages = [await asyncio.wait_for(read(receive), timeout=10)]
    except asyncio.TimeoutError:
        messages = []
    if not messages or len(messages[0]["body"]) > LIMIT:
        status = reject(413 if messages else 408, "the body is too large or late").status_code
        await send({"type": "http.response.start", "status": status})
        await send({"type": "http.response.body"})
        return

    async def receive_again() -> dict:
        return messages.pop() if messages else await receive()

    await django(scope, receive_again, send)


if __name__ == "__main__":  # Or: uvicorn receive_with_django:asgi --http h11
    # waitress closes connections without progress. Its limit counts the frames of chunks too.
    limits = {"channel_timeout": 10, "cleanup_interval": 1, "max_request_body_size": 2 * LIMIT}
    host, port = os.environ.get("LISTEN_HOST") or "127.0.0.1", os.environ.get("PORT") or "8080"
    # waitress ignores SIGTERM as process 1 and otherwise ends at once; now it waits 5 seconds for handlers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    serve(wsgi, host=host, port=int(port), **limits)
