"""A profile service with habits of its own, for the tests of `mock-server-learn`. Python 3, standard library."""

import itertools
import json
import os
import sys
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "foreign-key-0123456789"
EXTRA = {"plan": "pro", "verified": True, "created_at": "2020-01-01"}
PROFILE = json.loads(os.environ["PROFILE"]) | {"bio": "Hello", "location": "Paris"}
# The maximum number of characters and of lines of each text.
LIMITS = json.loads(os.environ["LIMITS"])
LINKS = [{"id": str(uuid.uuid4()), "title": "Home", "url": "https://example.com", "position": 1}]
POSTS = []
COUNTER = itertools.count()
# The links and posts after each request, with the time.
HISTORY = []
# The seconds after which GET /me shows them.
LAG = 0.5 if "lags" in sys.argv else 0
# The paths of the writes.
WRITES = []
# The times of the requests, for a rate limit of 10 in a second.
TIMES = []


if "latin" in sys.argv:
    PROFILE |= {"display_name": "Ada Løvelace"}
if "empty" in sys.argv:
    PROFILE = dict.fromkeys(PROFILE)


class Rejected(Exception):
    def __init__(self, status, code, message, field=None):
        super().__init__(message)
        if "numeric" in sys.argv:
            code = 1000 + sum(code.encode())
        self.status, self.code, self.field = status, code, field


def new_id():
    """Returns an id: an object, one that a path must encode, or a UUID."""
    new = str(uuid.uuid4())
    return {"$oid": new} if "object-ids" in sys.argv else f"a/b ü%{new}" if "encoded-ids" in sys.argv else new


def shown():
    """Returns the links and posts in GET /me."""
    until = time.monotonic() - LAG
    earlier = [state for at, *state in HISTORY if at <= until]
    return (earlier or [[LINKS[:1], []]])[-1] if LAG else (LINKS, POSTS)


def listed(resources):
    """Returns the links or posts in GET /me, without ids if the service is started with "no-ids"."""
    hidden = ["id"] if "no-ids" in sys.argv else []
    return [{name: one[name] for name in one if name not in hidden} for one in resources]


def days(query, own):
    text = query.partition("days=")[2] or "30"
    limit = 365 if own or "lax" in sys.argv else 30
    if not text.isdigit() or not 1 <= int(text) <= limit:
        raise Rejected(416, "range", "days is not allowed", "days")
    return int(text)


def statistics(count, own):
    odd = "odd" in sys.argv
    found = {
        "total_views": 9, "period": {"days": count, "views": 9 if odd else 0},
        "daily": [{"date": "1 January 2026" if odd else "2026-01-01", "views": 0}] * count,
    }
    if own:
        found |= {"devices": {"desktop": 0, "mobile": 0, "tablet": 0}, "countries": []}
    if "unlisted" in sys.argv:
        found |= {"total_views": "9", "period": {"days": "1", "views": 0}, "devices": [], "countries": {}}
    return found


def set_profile(edit):
    for name, value in edit.items():
        if name not in PROFILE and "lenient" in sys.argv:
            continue
        if name not in PROFILE and "crashes" in sys.argv:
            raise Rejected(500, "oops", "this is a bug")
        if name not in PROFILE:
            raise Rejected(409, "no_such_field", f"there is no {name}", name)
        if not isinstance(value, str):
            raise Rejected(409, "not_text", f"{name} must be a text", name)
        # Counts bytes.
        characters, lines = LIMITS.get(name, (7, 1))
        if len(value.encode()) > characters or value.count("\n") >= lines:
            raise Rejected(409, "too_long", f"{name} is too long", name)
        if name.endswith("color") and len(value) != 7:
            raise Rejected(409, "color", f"{name} is not a color", name)
    if "forgets" in sys.argv:
        return
    if "clears" in sys.argv:
        PROFILE.update({name: "" for name in PROFILE})
    PROFILE.update({name: edit[name] for name in edit if name in PROFILE})
    if "overwrites" in sys.argv:
        PROFILE["bio"] = "Rewritten\u009b"


def remove(resources, wanted):
    found = [one for one in resources if one["id"] == wanted]
    if not found and "lax" in sys.argv:
        return
    if not found:
        raise Rejected(410, "gone", "there is no such thing")
    if "deletes-all" in sys.argv:
        resources.clear()
    elif "truncates" not in sys.argv:
        resources.remove(resources[0] if "deletes-another" in sys.argv else found[0])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are sent separately: without this, each response would take 40 ms.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        is_page = ("html" in sys.argv or "pages" in sys.argv) and status >= 400
        text = body["errors"][0]["text"] if status >= 400 else ""
        code = body["errors"][0].get("type") if text else None
        if "pages" in sys.argv and text:
            body = f"<html>\n<title>{status}</title>\n<h1>Error {status}</h1>\n<p>{text}.</p>\n</html>\n"
        elif "texts" in sys.argv and text:
            body = json.dumps(f"Sorry: {text}")
        else:
            body = json.dumps(body["errors"] if "arrays" in sys.argv and text else body, ensure_ascii="latin" not in sys.argv)
        if "plain" in sys.argv and text:
            body = f"{status} {code}: {text}"
        body = body.encode("latin-1" if "latin" in sys.argv else "utf-8-sig" if "marks" in sys.argv else "utf-8")
        self.send_response(status)
        is_plain = "plain" in sys.argv and text
        self.send_header("Content-Type", "text/plain" if is_plain else "text/html" if is_page else "application/json")
        if "structured" in sys.argv:
            TIMES[:] = [at for at in TIMES if at > time.monotonic() - 1]
            self.send_header("RateLimit", f'"default";r={10 - len(TIMES)};t=1')
        else:
            self.send_header("X-Quota-Limit", "5000")
            self.send_header("X-Quota-Left", "4000")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, data = self.route(body)
            HISTORY.append((time.monotonic(), [*LINKS], [*POSTS]))
            self.answer(status, data if "unwrapped" in sys.argv else {"data": data})
        except Rejected as error:
            found = {"id" if "id-codes" in sys.argv else "type": error.code, "text": str(error), "http": error.status}
            if error.field:
                found["at"] = f"/{error.field}"
            if "counts" in sys.argv:
                found["trace_id"] = str(uuid.uuid4())
            self.answer(error.status, {"errors": [found]})

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_request

    def route(self, body):
        if self.command in ("POST", "PATCH"):
            WRITES.append(self.path)
        TIMES.append(time.monotonic())
        if "structured" in sys.argv and TIMES[-11:-10] > [TIMES[-1] - 1]:
            raise Rejected(429, "slow_down", "too many requests")
        path, _, query = self.path.removeprefix("/api/v1").partition("?")
        if f"hangs {self.command} {path.partition('-')[0]}" in sys.argv:
            time.sleep(3)
        given = self.headers.get("Authorization")
        if given is None and path not in ("/badges", "/stats") and "lax" not in sys.argv:
            raise Rejected(401, "who_are_you", "send a key")
        if given not in (None, f"Bearer {KEY}"):
            raise Rejected(403, "bad_key", f"the key {given} is not known")
        if self.command == "GET":
            return 200, self.read(path, query)
        return 202, self.write(path, body)

    def read(self, path, query):
        if path == "/me":
            links, posts = shown()
            key = {"scopes": "profile:write|analytics:read|links:write|social:write", "rate_limit": 5000, "prefix": KEY[:4], "echo": KEY}
            if "text-key" in sys.argv:
                key = "the laptop of Ada"
            hidden = "bio" if "hides-bio" in sys.argv and query != "all" else None
            return {name: PROFILE[name] for name in PROFILE if name != hidden} | EXTRA | {
                "handle": "ada", "links": listed(links), "posts": listed(posts), "badges": None if "nulls" in sys.argv else [],
                "email": "ada@example.com", "api_visible": None if "nulls" in sys.argv else "yes", "key": key,
            }
        if path == "/me/analytics":
            return {"views": 1, "likes": 1, "followers": 1, "following": 1, "comments": 1}
        if path == "/badges":
            kind = None if "nulls" in sys.argv else "gift"
            badge = {"id": "a", "name": "A", "description": "", "color": "#ffffff", "kind": kind}
            return badge if "unlisted" in sys.argv else [badge]
        if path == "/writes":
            return WRITES
        if path == "/stats":
            extra = {"requests": next(COUNTER)} if "counts" in sys.argv else {}
            return {"users": "1", "views": 2, "links": 3} | extra
        if path in ("/users/ada/stats", "/users/bob/stats"):
            own = path == "/users/ada/stats"
            return statistics(days(query, own), own)
        raise Rejected(404, "nothing_here", "there is nothing here")

    def write(self, path, body):
        if self.command == "PUT" and "lax" in sys.argv:
            return {}
        if self.command == "PUT":
            raise Rejected(405, "verb", "not like this")
        if self.command == "DELETE":
            remove(LINKS if "links" in path else POSTS, urllib.parse.unquote(path.rpartition("/")[2]))
            return {}
        try:
            fields = json.loads(body)
        except ValueError:
            raise Rejected(400, "json", "this is not JSON") from None
        if not isinstance(fields, dict):
            raise Rejected(400, "json", "this is not an object")
        if self.headers.get("Content-Type") == "text/plain" and "lax" not in sys.argv:
            raise Rejected(415, "type", "this is not application/json")
        if path == "/me/profile":
            if "refuses" in sys.argv:
                raise Rejected(409, "no", "the profile cannot be edited")
            set_profile(fields)
            if "returns-me" in sys.argv:
                return self.read("/me", "")
            if "lenient" in sys.argv:
                return PROFILE
        elif self.command == "PATCH":
            wanted = urllib.parse.unquote(path.rpartition("/")[2])
            link = next((one for one in LINKS if one["id"] == wanted), None)
            if link is None:
                raise Rejected(410, "gone", "there is no such thing")
            if "edits-another" in sys.argv:
                link = LINKS[0]
            if "forgets" in sys.argv:
                return {}
            link.update({name: fields[name] for name in ("title", "url") if name in fields})
        elif path == "/me/links":
            if "url" not in fields:
                raise Rejected(409, "missing", "url is missing", "url")
            title = "" if "odd" in sys.argv else fields["title"]
            if "truncates" in sys.argv:
                title = title[:3]
            same = next((one for one in LINKS if one["url"] == fields["url"]), None)
            if same and "merges" in sys.argv:
                same["title"] = title
                return same
            link = {"id": new_id(), "title": title, "url": fields["url"], "position": 2}
            if "queues" in sys.argv:
                return link
            LINKS.append(link)
            if "odd" in sys.argv or "truncates" in sys.argv:
                return LINKS[-1]
            if "lenient" in sys.argv:
                return LINKS[-1] | {"clicks": 0}
        elif "odd" not in sys.argv:
            POSTS.append({"id": new_id(), "body": fields["body"]})
        return {}


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
sys.stdout.close()
server.serve_forever()
