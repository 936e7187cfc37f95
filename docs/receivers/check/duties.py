"""The duties of a receiver beside the verification: what each must do, and copies of receivers that do not."""

import concurrent.futures
import contextlib
import gzip
import itertools
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

from deliveries import ACCEPTED, LIMIT, SECRET, requests, signature
from receivers import BROKEN_QUEUES, COMMANDS, EARLIER, OTHER_ROUTES, SLOW_QUEUES, TEST_CLIENTS
from running import accepts, copied, free_port, head, post, running, started, wait_until

_, SIGNED, BODY, _ = next(requests(SECRET))
# What a sender writes, and what must not be in the log or in a response.
CANARY = "canary"
NUMBERS = itertools.count(250)


def secret(packages, receiver, *changes):
    """Refuses to start with a secret that is missing, empty, or begins or ends with white space, or uses its bytes."""
    for value in [None, "", " ", f" {CANARY}", f"{CANARY}\t", f"\r{CANARY}", f"{CANARY}\n", f"\ufeff{CANARY}"]:
        with started(packages, receiver, *changes, environment={"PROFILE_WEBHOOK_SECRET": value}) as it:
            wait_until(lambda: it.process.poll() is not None or accepts(it.host, it.port))
            if receiver == "receive_with_next.js":  # `next build` loads it, so each request gets 500.
                if post(it, SIGNED, BODY)[0] != 500:
                    yield f"accepts a delivery with the secret {value!r}"
            elif it.process.poll() in (None, 0):
                yield f"starts with the secret {value!r}"
            if CANARY in it.log.read_text(errors="replace"):
                yield "logs the secret"
    for value in [b"\xff", "\u00e9".encode(), f"{CANARY}\ufeff".encode()]:
        with started(packages, receiver, *changes, environment={"PROFILE_WEBHOOK_SECRET": os.fsdecode(value), "LC_ALL": "C"}) as it:
            wait_until(lambda: it.process.poll() is not None or accepts(it.host, it.port))
            _, headers, body, _ = next(requests(value))
            # `next build` loads it, so each request gets 500.
            if it.process.poll() is None and (status := post(it, headers, body)[0]) not in {*ACCEPTED, 500}:
                yield f"a genuine delivery with the secret {value!r} gets {status}"
            if "byte order mark" in it.log.read_text(errors="replace"):
                yield f"refuses the secret {value!r}"


def logged(it, request):
    """Sends a request, and returns the response and the lines that are logged for it."""
    text = lambda: it.log.read_text(errors="replace")
    before = None
    while before != (before := text()):
        time.sleep(0.3)  # For a line that may follow.
    answer = request()
    wait_until(lambda: text() != before, 5)
    time.sleep(0.3)
    return answer, text()[len(before):].splitlines()


def rejected(packages, receiver, *changes):
    """Logs one line for a rejected delivery, with the reason and nothing that the sender wrote."""
    forged = [("X-Service-Signature", "sha256=" + "0" * 64), ("X-Service-Event", CANARY), ("X-Canary", CANARY)]
    cases = [
        (forged, CANARY.encode(), 401),
        ([("X-Service-Signature", CANARY)], CANARY.encode(), 401),
        ([], CANARY.encode(), 401),
        (forged, CANARY.encode() * (LIMIT // 5), 413),
    ]
    with running(packages, receiver, *changes) as it:
        for headers, body, expected in cases:
            (status, _), lines = logged(it, lambda: post(it, headers, body, path=f"/hooks?{CANARY}"))
            if status not in (expected, None):
                yield f"{status} instead of {expected}"
            if len(lines) != 1 or "rejected" not in lines[0]:
                yield f"{expected} is logged as {lines}"
            if any(CANARY in line for line in lines):
                yield f"logs what the sender wrote: {lines}"
    closed, pipe = os.pipe()
    os.close(closed)
    for stderr in [os.open("/dev/full", os.O_WRONLY), pipe]:
        with os.fdopen(stderr) as log, running(packages, receiver, *changes, stderr=log) as it:
            for _ in range(3):
                if (status := post(it, forged, b"")[0]) != (500 if ".py" in receiver else 401):
                    yield f"{status} if the log cannot be written"
                    break


def failed(packages, receiver, *changes):
    """Logs one line for an error of the queue, and responds with 500 without its text."""
    with contextlib.ExitStack() as stack:
        broken = BROKEN_QUEUES.get(receiver)
        # Programs that are not interpreted cannot write to this file.
        stdout = None if broken else stack.enter_context(open("/dev/full", "w"))
        it = stack.enter_context(running(packages, receiver, *([broken] if broken else []), *changes, stdout=stdout))
        for _ in range(2):
            (status, body), lines = logged(it, lambda: post(it, SIGNED, BODY))
            if status != 500:
                yield f"an error of the queue: {status}, expected 500"
            if b"queue" in body or b"space" in body:
                yield f"the response contains the error: {body}"
            if len(lines) != 1 or "failed" not in lines[0]:
                yield f"an error of the queue is logged as {lines}"


def shutdown(packages, receiver, *changes):
    """Answers the delivery on the way at SIGTERM, and ends, also with idle connections."""
    with running(packages, receiver, *changes) as it, contextlib.ExitStack() as stack:
        idle, sender = [stack.enter_context(socket.create_connection((it.host, it.port), timeout=30)) for _ in range(2)]
        idle.sendall(head(SIGNED, len(BODY)) + BODY)
        idle.recv(1 << 16)
        sender.sendall(head([*SIGNED, ("Expect", "100-continue")], len(BODY)))
        sender.recv(1 << 16)  # The receiver waits for the body.
        sender.sendall(BODY[:5])
        it.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not accepts(it.host, it.port), 2)
        answer = b""
        with contextlib.suppress(OSError):
            sender.sendall(BODY[5:])
            answer = sender.recv(1 << 16)
        if not answer.startswith(b"HTTP/1.1 204"):
            yield f"the delivery on the way gets {answer[:30]}"
        if not wait_until(lambda: it.process.poll() is not None, 20):
            yield "does not end within 20 seconds"


# Runs a command as process 1 of a container, if that is permitted here.
PROCESS_1 = ["unshare", "--pid", "--fork", "--kill-child"]


def may_unshare():
    with contextlib.suppress(OSError):
        return subprocess.run([*PROCESS_1, "true"], capture_output=True).returncode == 0


def deployment(packages, receiver, *changes):
    """Answers the delivery whose handler runs at SIGTERM, and ends, also as process 1."""
    if slow := SLOW_QUEUES.get(receiver.removesuffix(":asgi")):
        slow = (receiver.removesuffix(":asgi"), slow)
        with running(packages, receiver, slow, *changes) as it, concurrent.futures.ThreadPoolExecutor() as pool:
            answer = pool.submit(post, it, SIGNED, BODY)
            wait_until(lambda: BODY in it.log.read_bytes())
            it.process.send_signal(signal.SIGTERM)
            if (status := answer.result()[0]) not in ACCEPTED:
                yield f"the delivery whose handler runs gets {status}"
            if not wait_until(lambda: it.process.poll() is not None, 20):
                yield "does not end within 20 seconds"
    if may_unshare():
        with running(packages, receiver, *changes, prefix=PROCESS_1) as it:
            # A receiver may listen before it handles signals.
            post(it, SIGNED, BODY)
            children = pathlib.Path(f"/proc/{it.process.pid}/task/{it.process.pid}/children").read_text()
            os.kill(int(children), signal.SIGTERM)
            if not wait_until(lambda: it.process.poll() is not None, 20):
                it.process.kill()
                yield "does not end within 20 seconds as process 1"


def queue(packages, receiver, *changes):
    """Passes the bytes of the body to the queue, whatever the locale."""
    with running(packages, receiver, *changes, environment={"LC_ALL": "C"}) as it:
        for body in ["zo\u00e9 \U0001f44d".encode(), b"\xff\x00\xfe"]:
            post(it, [signature(SECRET, body)], body)
            if not wait_until(lambda: body in it.log.read_bytes(), 5):
                yield f"does not print the bytes {body}"


def client(packages, receiver, *changes):
    """Works in the test client of its framework."""
    file, program, command = TEST_CLIENTS[receiver]
    with tempfile.TemporaryDirectory(dir=packages) as folder:
        copied(packages, pathlib.Path(folder), changes)
        with open(f"{folder}/{file}", "a") as added:
            added.write(program)
        variables = {"BODY": BODY.decode(), "SIGNATURE": signature(SECRET, BODY)[1], "PROFILE_WEBHOOK_SECRET": SECRET.decode(), "PORT": str(free_port())}
        command = [word.format(packages=packages) for word in command]
        found = subprocess.run(command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300)
    if found.returncode != 0:
        yield f"the test client fails: {found.stdout}{found.stderr}"


def new_host():
    """Returns an address that nothing else uses, so that several receivers can listen on the same port."""
    number = next(NUMBERS)
    return f"127.{number // 250}.{number % 250}.1"


def address(packages, receiver, *changes):
    """Takes LISTEN_HOST and PORT from the environment; empty ones count as not set."""
    for host, port in [(new_host(), ""), (new_host(), str(free_port())), ("", str(free_port()))]:
        try:
            with running(packages, receiver, *changes, environment={"LISTEN_HOST": host, "PORT": port}) as it:
                if post(it, SIGNED, BODY)[0] not in ACCEPTED:
                    yield f"does not listen on {it.host}:{it.port}"
                if host and port and accepts(new_host(), it.port):
                    yield "listens on other addresses too"
        except RuntimeError as error:
            yield f"LISTEN_HOST={host} PORT={port}: {error}"


def prompt(packages, receiver, *changes):
    """What it prints appears at once in a pipe."""
    with running(packages, receiver, *changes) as it:
        post(it, SIGNED, BODY)
        if not wait_until(lambda: "post.liked" in it.log.read_text(errors="replace"), 5):
            yield "what it prints does not appear within 5 seconds"


def routes(packages, receiver, *changes):
    """Other routes of the program keep their parsers, and what reads the body before does not make the receiver fail unsaid."""
    route, content_type = OTHER_ROUTES[receiver]
    body = b'{"a": 1}' if content_type == "application/json" else b"a=1"
    cases = [([("Content-Type", content_type)], body)]
    if receiver == "receive_with_express.mjs":
        cases.append(([("Content-Type", content_type), ("Content-Encoding", "gzip")], gzip.compress(body)))
    with running(packages, receiver, *route, *changes) as it:
        for headers, body in cases:
            status, found = post(it, headers, body, path="/other")
            if (status, found.strip()) != (200, b"1"):
                yield f"another route responds with {status} {found[:50]}"
    if receiver in EARLIER:
        change, expected, line = EARLIER[receiver]
        with running(packages, receiver, (receiver, [change]), *changes) as it:
            status, _ = post(it, [("Content-Type", "application/json"), signature(SECRET, BODY)], BODY)
            if status != expected or line not in it.log.read_bytes():
                yield f"below something that reads the body: {status}, {it.log.read_bytes()}"


DUTIES = {duty.__name__: duty for duty in [secret, rejected, failed, shutdown, deployment, address, prompt, queue, routes, client]}

WAITRESS = "waitress drops half a body at SIGTERM, whatever the file does"
# The duties that a receiver does not meet, and why.
EXEMPT = {
    ("receive_with_functions_framework.mjs", "deployment"): "the framework handles signals",
    ("receive_with_next.js", "deployment"): "the server is not in the file",
    ("receive_with_rack.rb in front of Sinatra", "deployment"): "the server is not in the file",
    ("ReceiveWithSpring.java", "deployment"): "the server is not in the file",
    **{(receiver, "client"): "the framework has no test client" for receiver in COMMANDS if receiver not in TEST_CLIENTS},
    ("receive_with_functions_framework.mjs", "address"): "the framework has an option for the port, and listens on all interfaces",
    ("receive_with_functions_framework.mjs", "routes"): "a function has no other routes",
    ("receive_with_next.js", "routes"): "each route is a file of its own",
    ("receive_with_flask.py", "shutdown"): WAITRESS,
    ("receive_with_django.py", "shutdown"): WAITRESS,
    ("receive_with_rack.rb in front of Sinatra", "address"): "the server is not in the file",
    ("receive_with_rack.rb in front of Sinatra", "routes"): "the input that it imitates cannot be read twice",
    ("ReceiveWithSpring.java", "address"): "the server is not in the file",
    ("receive_with_actix", "routes"): "the file sets no parser; a copy would be another build",
    ("receive_once_with_sqlite", "routes"): "the file sets no parser; a copy would be another build",
}

# For each duty, copies of receivers that do not meet it.
NODE_SIGNALS = [("for (const signal of", "if (0) for (const signal of")]
BREAKS = {
    "secret": {
        "receive_with_express.mjs": ("webhook_node.mjs", [("if (!secret) throw", "if (0) throw")]),
        "receive_with_fastify.mjs": ("webhook_node.mjs", [("\\ufffd", "\\ufffe")]),
        "receive_with_hono.mjs": ("webhook_webcrypto.mjs", [("/^[ \\t\\r\\n\\ufeff]|", "/")]),
        "receive_with_flask.py": ("webhook.py", [('.strip(" ', '.lstrip(" ')]),
        "receive_with_net_http.go": ("webhook.go", [('\\ufeff")', '")')]),
        "receive_with_rack.rb": ("webhook.rb", [("|[ \\t\\r\\n]\\z", "")]),
        "ReceiveWithSpring.java": ("Webhook.java", [("secret.indexOf('\\uFFFD') >= 0", "false")]),
    },
    "rejected": {
        "receive_with_express.mjs": ("receive_with_express.mjs", [("console.error(`webhook rejected", "0 && (`webhook rejected")]),
        "receive_with_fastify.mjs": ("receive_with_fastify.mjs", [("hooks.setErrorHandler", "0 && hooks.setErrorHandler")]),
        "receive_with_hono.mjs": ("serve_with_node.mjs", [('stream.on("error", () => {})', "0")]),
        "receive_with_fastapi.py": ("receive_with_fastapi.py", [(", access_log=False", "")]),
        "receive_with_net_http.go": ("receive_with_net_http.go", [("webhook rejected with %d: %s", "rejected %d %s \" + r.URL.String() + \"")]),
        "receive_with_rack.rb": ("receive_with_rack.rb", [('    warn "webhook rejected', '    0 && "webhook rejected')]),
    },
    "failed": {
        "receive_with_express.mjs": ("receive_with_express.mjs", [("return response.status(500).end()", "return response.status(500).end(error.message)")]),
        "receive_with_fastify.mjs": ("receive_with_fastify.mjs", [("return reply.code(500).send()", "throw error")]),
        "receive_with_hono.mjs": ("receive_with_hono.mjs", [('console.error("webhook failed: %j", error.message)', "console.error(error)")]),
        "receive_with_flask.py": ("receive_with_flask.py", [("json.dumps(str(error))", "error")]),
        "receive_with_rack.rb": ("receive_with_rack.rb", [("      return [500, {}, []]", "      raise")]),
    },
    "shutdown": {
        "receive_with_express.mjs": ("receive_with_express.mjs", NODE_SIGNALS),
        "receive_with_fastify.mjs": ("receive_with_fastify.mjs", NODE_SIGNALS),
        "receive_with_hono.mjs": ("serve_with_node.mjs", NODE_SIGNALS),
        "receive_with_net_http.go": ("receive_with_net_http.go", [("err := server.Shutdown(context.Background())", "err := server.Close()")]),
    },
    "deployment": {
        "receive_with_flask.py": ("receive_with_flask.py", [("signal.signal(signal.SIGTERM", "0 and (signal.SIGTERM")]),
        "receive_with_django.py": ("receive_with_django.py", [("signal.signal(signal.SIGTERM", "0 and (signal.SIGTERM")]),
        "receive_with_net_http.go": ("receive_with_net_http.go", [("err := server.Shutdown(context.Background())", "err := server.Close()")]),
    },
    "queue": {
        "ReceiveWithSpring.java": ("ReceiveWithSpring.java", [("writeBytes(body)", "println(new String(body))")]),
        "receive_with_flask.py": ("receive_with_flask.py", [("os.write(1, body)", "print(body, flush=True)")]),
        "receive_with_hono.mjs": ("receive_with_hono.mjs", [("new Uint8Array(body)", "new TextDecoder().decode(body)")]),
    },
    "client": {
        "ReceiveWithSpring.java": ("ReceiveWithSpring.java", [("path.equals(", "request.getServletPath().equals(")]),
    },
    "address": {
        "receive_with_express.mjs": ("receive_with_express.mjs", [("process.env.PORT || 8080", "process.env.PORT ?? 8080")]),
        # Not on the default port, where it would answer for other receivers.
        "receive_with_fastify.mjs": ("receive_with_fastify.mjs", [
            ('process.env.LISTEN_HOST || "127.0.0.1"', 'process.env.PORT ? "0.0.0.0" : process.env.LISTEN_HOST')]),
        "receive_with_flask.py": ("receive_with_flask.py", [('os.environ.get("PORT") or "8080"', 'os.environ.get("PORT", "8080")')]),
        "receive_with_net_http.go": ("receive_with_net_http.go", [('orDefault("LISTEN_HOST", "127.0.0.1")', '"127.0.0.1"')]),
    },
    "prompt": {
        "receive_with_flask.py": ("receive_with_flask.py", [("os.write(1, body)", "sys.stdout.buffer.write(body)")]),
        "receive_with_fastapi.py": ("receive_with_fastapi.py", [("os.write(1, body)", "sys.stdout.buffer.write(body)")]),
    },
    "routes": {
        "receive_with_hono.mjs": ("receive_with_hono.mjs", [("bodyUsed ?", "false ?")]),
        "receive_with_express.mjs": ("receive_with_express.mjs", [("const app = express();\n", "const app = express();\napp.use((...all) => asSent(...all));\n")]),
        "receive_with_fastify.mjs": ("receive_with_fastify.mjs", [("app.register(async (hooks) => {", "((hooks) => {"), ("  });\n});\n", "  });\n})(app);\n")]),
    },
}
