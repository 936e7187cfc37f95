import asyncio
import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from waitress import serve
from webhook import is_authentic

SECRET = os.environ["PROFILE_WEBHOOK_SECRET"].encode()
if not SECRET:
    raise SystemExit("PROFILE_WEBHOOK_SECRET is empty")

LIMIT = 1 << 20


@csrf_exempt  # Otherwise, CsrfViewMiddleware responds to every delivery with 403.
def receive(request: HttpRequest) -> HttpResponse:
    body = request.body  # Before anything else reads the body.
    if len(body) > LIMIT:
        return HttpResponse(status=413)
    # Servers join repeated headers, which makes the signature invalid.
    if not is_authentic(SECRET, request.headers.get("X-Service-Signature"), body):
        return HttpResponse(status=401)
    print(body)  # Put it into a queue.
    return HttpResponse(status=204)


# In a project, these lines are in other files. Django's own limit, 2.5 MiB, would respond with 400.
settings.configure(ROOT_URLCONF=__name__, MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"])
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
        await send({"type": "http.response.start", "status": 413 if messages else 408})
        await send({"type": "http.response.body"})
        return

    async def receive_again() -> dict:
        return messages.pop() if messages else await receive()

    await django(scope, receive_again, send)


if __name__ == "__main__":  # Or: uvicorn receive_with_django:asgi
    # waitress closes connections without progress. Its limit counts the frames of chunks too.
    limits = {"channel_timeout": 10, "cleanup_interval": 1, "max_request_body_size": 2 * LIMIT}
    serve(wsgi, host="127.0.0.1", port=int(os.environ.get("PORT", "8080")), **limits)
