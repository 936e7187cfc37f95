import asyncio
import json
import os
import sys

import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect
from webhook import is_authentic, read_secret

SECRET = read_secret()
LIMIT = 1 << 20

app = FastAPI()


async def enqueue(body: bytes) -> None:
    os.write(1, body)  # Put it into a queue.


def respond(status: int, line: str = "") -> Response:
    if line:
        print(line, file=sys.stderr, flush=True)
    return Response(status_code=status)


def reject(status: int, reason: str) -> Response:
    return respond(status, f"webhook rejected with {status}: {reason}")


async def read(request: Request) -> bytes:
    """Returns the body, or at least one byte too many. FastAPI has no limit of its own."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LIMIT:
            break
    return body


@app.post("/hooks")
async def receive(request: Request) -> Response:
    try:
        body = await asyncio.wait_for(read(request), timeout=10)
    except asyncio.TimeoutError:
        return reject(408, "the body did not arrive in time")
    except ClientDisconnect:
        return reject(400, "the body broke off")  # Otherwise, uvicorn logs a traceback.
    if len(body) > LIMIT:
        return reject(413, "the body is too large")
    # `headers.get` returns the first of repeated headers.
    signatures = request.headers.getlist("X-Service-Signature")
    if len(signatures) != 1 or not is_authentic(SECRET, signatures[0], body):
        return reject(401, "the signature is missing or not valid")
    try:
        await enqueue(body)
    except Exception as error:
        return respond(500, f"webhook failed: {json.dumps(str(error))}")
    return respond(204)


if __name__ == "__main__":
    host, port = os.environ.get("LISTEN_HOST") or "127.0.0.1", os.environ.get("PORT") or "8080"
    # The log of accesses would contain the path, which the sender writes.
    # With httptools, uvicorn drops the body of a sender that asks for HTTP/2, such as Java's HttpClient.
    uvicorn.run(app, host=host, port=int(port), access_log=False, http="h11")
