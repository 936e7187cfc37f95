//! Recorded deliveries, which are HTTP/1.1 requests, and the command `profile webhook replay`, which
//! sends them again.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::Args;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};

use super::{Delivery, destination, send_all};
use crate::input::Input;
use crate::outcome::{Failure, Result};
use crate::session::Session;
use crate::terminal::{SafeUrl, escaped};

/// Hint for files that are not recorded deliveries.
const RECORD: &str = "record deliveries with `profile webhook listen --record DIRECTORY`";

#[derive(Debug, Args)]
#[command(after_help = "\
`profile webhook listen --record` writes the files. In a directory, all files whose names end in .http \
are read, and sorted by name, which is the order of arrival. Nothing is sent unless all files are \
valid. The recorded signatures are sent, so no secret is needed.

Prints a line for each response: in a pipe, the kind, the status code, the milliseconds, the file and \
the error, separated by tabs; with --json, an object. Exits with 0 if all status codes were 2xx, with \
8 if there was no response at all, and otherwise with 1.

Examples:
  profile webhook replay deliveries --to http://127.0.0.1:8080/hooks
  profile webhook replay deliveries/*.http --to URL")]
pub(crate) struct ReplayArguments {
    /// Files of the recorded deliveries, or directories with such files
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,

    /// URL of the receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    to: SafeUrl,
}

pub(crate) fn replay(arguments: &ReplayArguments, session: &Session<'_>) -> Result<()> {
    let mut deliveries = Vec::new();
    let files = arguments.files.iter().map(|path| in_directory(path));
    for file in files.collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        deliveries.push((file.display().to_string(), read_file(&file)?));
    }
    let deliveries = deliveries.iter();
    let deliveries = deliveries.map(|(file, delivery)| (file.as_str(), delivery));
    send_all(deliveries, &arguments.to, session)
}

/// Returns the recorded deliveries in a directory, sorted by name, or the path of a file.
fn in_directory(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error| Failure::usage(format!("{} cannot be read: {error}", escaped(path)));
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let files = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    files.retain(|file| is_http(file));
    files.sort();
    if files.is_empty() {
        let message = format!("{} contains no .http files", escaped(path));
        return Err(Failure::usage(message).hint(RECORD));
    }
    Ok(files)
}

fn is_http(file: &Path) -> bool {
    file.extension() == Some("http".as_ref())
}

fn read_file(file: &Path) -> Result<Delivery> {
    // Opening a FIFO waits for a writer. Under other names, such as /dev/fd/63, it has one.
    if is_http(file) && file.metadata().is_ok_and(|found| !found.is_file()) {
        let message = format!("{} is not a regular file", escaped(file));
        return Err(Failure::usage(message).hint(RECORD));
    }
    let bytes = Input::File(file.to_owned()).read()?;
    read(&bytes).map_err(|reason| {
        let message = format!("{} is not a recorded delivery: {reason}", escaped(file));
        Failure::usage(message).hint(RECORD)
    })
}

/// The maximum number of headers that hyper accepts.
const MAX_HEADERS: usize = 100;

/// Returns the request as bytes.
pub(super) fn write(path: &str, headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("POST {path} HTTP/1.1\r\n").into_bytes();
    for (name, value) in headers {
        let line = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
        bytes.extend(line.concat());
    }
    [&bytes, b"\r\n".as_slice(), body].concat()
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
    let stated = stated.map(String::from_utf8_lossy);
    let found = body.len();
    if let Some(stated) = stated.filter(|stated| stated.parse() != Ok(found)) {
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
            let read = read(&write("/", &headers, body)).expect("a recording");
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
        assert!(read(b"POST / HTTP/1.1\ncontent-length: 02\n\n{}").is_ok());
    }
}
