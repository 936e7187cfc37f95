"""Starts receivers, and sends requests to them."""

import contextlib
import http.client
import itertools
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types

from deliveries import SECRET
from receivers import COMMANDS

HERE = pathlib.Path(__file__).resolve().parent
RECEIVERS = HERE.parent


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, timeout=600, stdout=sys.stderr, **options)


# Below the ports that the system chooses, so that no client or other receiver takes one before its receiver listens.
PORTS = itertools.count(20000)


def free_port():
    """Returns a port that nothing uses, and that is not returned again."""
    for port in PORTS:
        with contextlib.suppress(OSError), socket.socket() as listener:
            listener.bind(("127.0.0.1", port))
            return port


def wait_until(is_reached, seconds=30):
    """Returns false if it takes longer."""
    deadline = time.monotonic() + seconds
    while not is_reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def accepts(host, port):
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def copied(packages, folder, changes):
    """Copies the receivers to a folder, and changes files there."""
    for file in [*RECEIVERS.iterdir(), HERE / "rack.rb", HERE / "Jetty.java"]:
        if file.is_file():
            shutil.copy(file, folder)
    for file, texts in changes:
        changed = (folder / file).read_text()
        for text, replacement in texts:
            if text not in changed:
                sys.exit(f"{file}: {text!r} not found")
            changed = changed.replace(text, replacement)
        (folder / file).write_text(changed)


BUILT = {}
BUILDING = threading.Lock()


def built(packages, receiver, changes):
    """Returns a folder with the receivers, in which files were changed and one receiver was built. Builds each such folder once."""
    key = (receiver, repr(changes))
    with BUILDING:
        if key not in BUILT:
            folder = pathlib.Path(tempfile.mkdtemp(dir=packages))
            copied(packages, folder, changes)
            for command in COMMANDS[receiver][1][:-1]:
                run(*[str(word).format(packages=packages) for word in command], cwd=folder)
            BUILT[key] = folder
    return BUILT[key]


@contextlib.contextmanager
def started(packages, receiver, *changes, environment=None, stdout=None, stderr=None, prefix=()):
    """Starts a receiver, below the command `prefix`, in a new folder in which files were changed, and yields its process, log, host and
    port. A variable that is None is not set."""
    with tempfile.TemporaryDirectory(dir=packages) as folder:
        folder = pathlib.Path(folder)
        # A program that is copied cannot be run while a process that another thread starts has the copy open.
        shutil.copytree(built(packages, receiver, changes), folder, copy_function=os.link, dirs_exist_ok=True)
        command = [*prefix, *[str(word).format(packages=packages) for word in COMMANDS[receiver][1][-1]]]
        # PYTHONUNBUFFERED would hide what waits in a buffer.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        variables = {**inherited, "LISTEN_HOST": "127.0.0.1", "PORT": str(free_port()), "PROFILE_WEBHOOK_SECRET": SECRET.decode()}
        variables.update(environment or {})
        variables = {name: value for name, value in variables.items() if value is not None}
        with open(folder / "log", "w") as log:
            process = subprocess.Popen(command, cwd=folder, env=variables, stdout=stdout or log, stderr=stderr or log)
        host, port = variables["LISTEN_HOST"] or "127.0.0.1", int(variables["PORT"] or 8080)
        try:
            yield types.SimpleNamespace(process=process, log=folder / "log", host=host, port=port)
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def running(packages, receiver, *changes, **options):
    """Like `started`, once the receiver accepts connections."""
    with started(packages, receiver, *changes, **options) as it:
        wait_until(lambda: it.process.poll() is not None or accepts(it.host, it.port), 60)
        if it.process.poll() is not None or not accepts(it.host, it.port):
            raise RuntimeError(f"{receiver} did not start:\n{it.log.read_text(errors='replace')}")
        yield it


def head(headers, length, path="/hooks"):
    """Returns the start of a request. The length is added unless the headers contain it, or the body is sent in chunks."""
    if not {name for name, _ in headers} & {"Content-Length", "Transfer-Encoding"}:
        headers = [*headers, ("Content-Length", str(length))]
    lines = "".join(f"{name}: {value}\r\n" for name, value in [("Host", "a"), *headers])
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")


def post(it, headers, body, *, ends=False, path="/hooks"):
    """Sends a request, and the end of the stream if it `ends`. Returns the status of the response, or None, and its body."""
    with socket.create_connection((it.host, it.port), timeout=30) as connection:
        # A receiver may respond, and close the connection, before it has read a body that is too large.
        with contextlib.suppress(OSError):
            connection.sendall(head([("Connection", "close"), *headers], len(body), path))
            expects = "Expect" in {name for name, _ in headers}
            if expects and not connection.recv(1 << 16, socket.MSG_PEEK).startswith(b"HTTP/1.1 100"):
                return response(connection)
            # In parts, as they may arrive.
            connection.sendall(body[:1])
            connection.sendall(memoryview(body)[1:])
            if ends:
                connection.shutdown(socket.SHUT_WR)
        return response(connection)


def response(connection):
    parsed = http.client.HTTPResponse(connection)
    try:
        parsed.begin()
        return parsed.status, parsed.read()
    except (ConnectionError, http.client.HTTPException):
        return None, b""
    except TimeoutError:
        return "no response", b""
