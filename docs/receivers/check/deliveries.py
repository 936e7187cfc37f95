"""The requests that are sent to each receiver, and the statuses with which it may respond."""

import functools
import gzip
import hashlib
import hmac

SECRET = b"It's a Secret to Everybody"
LIMIT = 1 << 20

# The permitted statuses of responses; None is a closed connection.
ACCEPTED = {204}
REJECTED = {400, 401}
ANY = ACCEPTED | REJECTED
TOO_LARGE = {413, None}
BROKEN = {400, 401, 408, None}


def chunked(body, extension=b"", trailer=b""):
    parts = [body[at : at + (1 << 16)] for at in range(0, len(body), 1 << 16)]
    chunks = [b"%x%s\r\n%s\r\n" % (len(part), extension, part) for part in parts]
    return b"".join(chunks) + b"0%s\r\n%s\r\n" % (extension, trailer)


def signature(secret, body):
    return ("X-Service-Signature", "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest())


def requests(secret):
    """Yields the name, headers and body of each request as it is sent, and the permitted statuses if the receiver has this secret.

    The length of the body is added unless the headers contain it, or the body is sent in chunks.
    """

    sign = functools.partial(signature, secret)
    body = b'{"type":"post.liked"}'
    signed = sign(body)
    compressed = gzip.compress(body)
    gzipped = ("Content-Encoding", "gzip")
    in_chunks = ("Transfer-Encoding", "chunked")
    other = ("X-Service-Signature", "sha256=" + "0" * 64)
    underscored = ("X_Service_Signature", signed[1])
    large, too_large, huge = b"x" * LIMIT, b"x" * (LIMIT + 1), b"x" * (64 << 20)

    for content_type in ["application/json", "application/json, text/plain", "text/plain", "json", "a/b; charset=x; =", ""]:
        yield f"the content type {content_type!r}", [("Content-Type", content_type), signed], body, ACCEPTED
    yield "no content type", [signed], body, ACCEPTED
    # The body is not what these say.
    for content_type in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "multipart/form-data"]:
        yield f"the content type {content_type!r}", [("Content-Type", content_type), signed], body, ACCEPTED
    form = b"_method=put&a=%ff"
    headers = [("Content-Type", "application/x-www-form-urlencoded"), sign(form)]
    yield "a form", headers, form, ACCEPTED

    yield "chunks", [in_chunks, signed], chunked(body), ACCEPTED
    yield "chunks with extensions", [in_chunks, signed], chunked(body, extension=b';a="b"'), ACCEPTED
    yield "chunks with a trailer", [in_chunks, signed], chunked(body, trailer=b"X-Trailer: a\r\n"), ACCEPTED
    trailer = b"X-Service-Signature: %s\r\n" % signed[1].encode()
    yield "a signature only in the trailer", [in_chunks], chunked(body, trailer=trailer), REJECTED
    upgrade = [("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQCAAAAAAIAAAAA")]
    yield "a request for HTTP/2", [*upgrade, signed], body, ACCEPTED
    yield "Expect: 100-continue", [("Expect", "100-continue"), signed], body, ACCEPTED

    yield "two signatures, the first valid", [signed, other], body, REJECTED
    yield "two signatures, the last valid", [other, signed], body, REJECTED
    yield "two signatures, both valid", [signed, signed], body, REJECTED
    yield "an underscored signature", [underscored], body, ANY
    yield "an underscored signature beside another", [other, underscored], body, ANY
    yield "a signature that is not ASCII", [("X-Service-Signature", signed[1][:-1] + "\xe9")], body, REJECTED
    digits = signed[1][:-1] + "\uff11".encode().decode("latin-1")
    yield "a digit that is not ASCII", [("X-Service-Signature", digits)], body, REJECTED

    yield "signed before compression", [gzipped, signed], compressed, REJECTED
    yield "signed after compression", [gzipped, sign(compressed)], compressed, ACCEPTED
    yield "an encoding that is not true", [gzipped, signed], body, ACCEPTED

    yield "an empty body", [sign(b"")], b"", ACCEPTED
    yield "an empty body in chunks", [in_chunks, sign(b"")], chunked(b""), ACCEPTED
    for text in [b"not JSON", b"{", b"\xff\xfe\x00"]:
        yield f"the body {text!r}", [("Content-Type", "application/json"), sign(text)], text, ACCEPTED

    yield "1 MiB", [sign(large)], large, ACCEPTED
    yield "1 MiB in chunks", [in_chunks, sign(large)], chunked(large), ACCEPTED
    yield "more than 1 MiB", [sign(too_large)], too_large, TOO_LARGE
    yield "more than 1 MiB in chunks", [in_chunks, sign(too_large)], chunked(too_large), TOO_LARGE
    yield "64 MiB", [sign(huge)], huge, TOO_LARGE
    yield "64 MiB in chunks", [in_chunks, sign(huge)], chunked(huge), TOO_LARGE

    yield "a chunk without a size", [in_chunks, signed], b"\r\n%s\r\n0\r\n\r\n" % body, BROKEN
    yield "a chunk that is too long", [in_chunks, signed], b"%x\r\n%s0\r\n\r\n" % (len(body) - 1, body), BROKEN
    yield "chunks that are cut off", [in_chunks, signed], chunked(body)[:-5], BROKEN
    yield "a body that is cut off", [("Content-Length", str(len(body) + 1)), signed], body, BROKEN
