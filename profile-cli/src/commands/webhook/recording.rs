//! A recorded delivery: the request as HTTP/1.1 writes it, headers, an empty line and the body's bytes.

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::delivery::Delivery;

const FIRST_LINE: &str = "POST / HTTP/1.1";

/// The request as bytes.
pub(super) fn written(headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
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

/// Reads what was recorded, or tells why it is none.
pub(super) fn read(bytes: &[u8]) -> Result<Delivery, String> {
    let (first, mut rest) = line(bytes).ok_or("it has no line")?;
    if first != FIRST_LINE.as_bytes() {
        return Err(format!("its first line is not {FIRST_LINE}"));
    }
    let mut headers = HeaderMap::new();
    loop {
        let (text, after) = line(rest).ok_or("it has no empty line after its headers")?;
        rest = after;
        if text.is_empty() {
            let body = Bytes::copy_from_slice(rest);
            return Ok(Delivery::passed_on(&headers, body));
        }
        let (name, value) = header(text)
            .ok_or_else(|| format!("{:?} is not a header", String::from_utf8_lossy(text)))?;
        headers.append(name, value);
    }
}

/// The first line without its end, which an editor may have written anew, and what follows it.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let text = &bytes[..end];
    Some((text.strip_suffix(b"\r").unwrap_or(text), &bytes[end + 1..]))
}

fn header(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let name = HeaderName::from_bytes(&line[..colon]).ok()?;
    let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, HeaderName, HeaderValue, read, written};

    #[test]
    fn what_is_written_is_read_again() {
        let mut headers = HeaderMap::new();
        for value in [&b"one"[..], b"two, \xff", b""] {
            let value = HeaderValue::from_bytes(value).expect("a value");
            headers.append(HeaderName::from_static("x-service-event"), value);
        }
        for body in [&b""[..], b"\r\n\r\n{}\n", b"\x00\xff\n"] {
            let read = read(&written(&headers, body)).expect("a recording");
            assert_eq!(read.headers, headers);
            assert_eq!(read.body, body);
        }
    }

    #[test]
    fn what_is_no_recording_is_told() {
        for (bytes, reason) in [
            ("", "it has no line"),
            ("{}\n", "its first line is not POST / HTTP/1.1"),
            (
                "POST / HTTP/1.1\r\na: b\r\n",
                "it has no empty line after its headers",
            ),
            (
                "POST / HTTP/1.1\nno colon\n\n",
                "\"no colon\" is not a header",
            ),
        ] {
            assert_eq!(read(bytes.as_bytes()).err().as_deref(), Some(reason));
        }
    }
}
