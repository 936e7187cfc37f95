//! Recorded deliveries: HTTP/1.1 requests.

use bytes::Bytes;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};

use super::delivery::Delivery;

const FIRST_LINE: &str = "POST / HTTP/1.1";

/// The maximum number of headers that hyper accepts.
const MAX_HEADERS: usize = 100;

/// Returns the request as bytes.
pub(super) fn write(headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::from(FIRST_LINE);
    bytes.extend_from_slice(b"\r\n");
    for (name, value) in headers {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

/// Parses a recorded delivery, or returns the reason why it is invalid.
pub(super) fn read(bytes: &[u8]) -> Result<Delivery, String> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut fields);
    let status = request.parse(bytes).map_err(|error| error.to_string())?;
    let httparse::Status::Complete(length) = status else {
        return Err("the empty line after the headers is missing".to_owned());
    };
    let mut headers = HeaderMap::new();
    for field in request.headers {
        let name = HeaderName::try_from(field.name).map_err(|error| error.to_string())?;
        let value = HeaderValue::try_from(field.value).map_err(|error| error.to_string())?;
        headers.append(name, value);
    }
    let body = Bytes::copy_from_slice(&bytes[length..]);
    let stated = headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    let found = body.len().to_string();
    if let Some(stated) = stated.filter(|stated| *stated != found.as_bytes()) {
        let stated = String::from_utf8_lossy(stated);
        return Err(format!(
            "the body has {found} bytes, but content-length is {stated}"
        ));
    }
    Ok(Delivery::forwarded(&headers, body))
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, HeaderName, HeaderValue, read, write};

    #[test]
    fn reads_written_recordings() {
        let mut headers = HeaderMap::new();
        for value in [&b"one"[..], b"two, \xff", b""] {
            let value = HeaderValue::from_bytes(value).expect("a value");
            headers.append(HeaderName::from_static("x-service-event"), value);
        }
        for body in [&b""[..], b"\r\n\r\n{}\n", b"\x00\xff\n"] {
            let read = read(&write(&headers, body)).expect("a recording");
            assert_eq!(read.headers, headers);
            assert_eq!(read.body, body);
        }
    }

    #[test]
    fn rejects_invalid_recordings() {
        for (bytes, reason) in [
            ("", "the empty line after the headers is missing"),
            ("{}\n", "invalid token"),
            (
                "POST / HTTP/1.1\r\na: b\r\n",
                "the empty line after the headers is missing",
            ),
            ("POST / HTTP/1.1\nno colon\n\n", "invalid header name"),
            (
                "POST / HTTP/1.1\ncontent-length: 3\n\n{}",
                "the body has 2 bytes, but content-length is 3",
            ),
        ] {
            assert_eq!(read(bytes.as_bytes()).err().as_deref(), Some(reason));
        }
    }
}
