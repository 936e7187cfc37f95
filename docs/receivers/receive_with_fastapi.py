import asyncio
import os

import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect
from webhook import is_authentic

SECRET = os.environ["PROFILE_WEBHOOK_SECRET"].encode()
if not SECRET:
    raise SystemExit("PROFILE_WEBHOOK_SECRET is empty")

LIMIT = 1 << 20

app = FastAPI()


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
        return Response(status_code=408)
    except ClientDisconnect:
        return Response(status_code=400)  # Nobody receives it. Otherwise, uvicorn logs a traceback.
    if len(body) > LIMIT:
        return Response(status_code=413)
    # `headers.get` returns the first of repeated headers.
    signatures = request.headers.getlist("X-Service-Signature")
    if len(signatures) != 1 or not is_authentic(SECRET, signatures[0], body):
        return Response(status_code=401)
    print(body)  # Put it into a queue.
    return Response(status_code=204)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8080")))
