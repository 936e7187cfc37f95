//! Reads the body of a response, decompressed (RFC 1952) and up to a maximum size.

use std::io::{self, Read as _};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flate2::GzHeader;
use flate2::bufread::GzDecoder;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use super::network::transport_error;
use crate::error::{Error, ErrorKind};
use crate::text::quoted;

/// A response whose body has not been read yet.
pub(super) enum Incoming {
    Network {
        response: reqwest::Response,
        timeout: Duration,
    },
    #[cfg(feature = "tower")]
    Layered {
        /// Boxed, to keep calls small.
        response: Box<http::Response<super::http_service::ResponseBody>>,
        deadline: tokio::time::Instant,
        timeout: Duration,
    },
}

impl Incoming {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Network { response, .. } => response.status(),
            #[cfg(feature = "tower")]
            Self::Layered { response, .. } => response.status(),
        }
    }

    pub(super) fn headers_mut(&mut self) -> &mut HeaderMap {
        match self {
            Self::Network { response, .. } => response.headers_mut(),
            #[cfg(feature = "tower")]
            Self::Layered { response, .. } => response.headers_mut(),
        }
    }

    /// Returns the next part of the body, or `None` at its end.
    async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Network { response, timeout } => response
                .chunk()
                .await
                .map_err(|error| transport_error(error, *timeout)),
            #[cfg(feature = "tower")]
            Self::Layered {
                response,
                deadline,
                timeout,
            } => {
                // Boxed, to keep calls small.
                Box::pin(layered_chunk(response.body_mut(), *deadline, *timeout)).await
            }
        }
    }
}

/// Returns the next part of a body from a layer.
#[cfg(feature = "tower")]
async fn layered_chunk(
    body: &mut super::http_service::ResponseBody,
    deadline: tokio::time::Instant,
    timeout: Duration,
) -> Result<Option<Bytes>, Error> {
    use http_body_util::BodyExt as _;

    loop {
        let frame = tokio::time::timeout_at(deadline, body.frame()).await;
        let frame = frame.map_err(|_| super::network::timed_out(timeout))?;
        match frame.transpose()?.map(http_body::Frame::into_data) {
            Some(Ok(data)) => return Ok(Some(data)),
            // Trailers.
            Some(Err(_)) => {}
            None => return Ok(None),
        }
    }
}

/// Reads a body. Also returns an error if it is incomplete: larger than the maximum, cut off, or not
/// valid in its content coding. A refusal that cannot be decompressed keeps its bytes: gateways decompress
/// bodies and leave the header.
pub(super) async fn read_body(response: &mut Incoming, max_bytes: usize) -> (Bytes, Option<Error>) {
    let is_success = response.status().is_success();
    let coding = match is_gzip(response.headers_mut()) {
        Err(error) if is_success => return (Bytes::new(), Some(error)),
        coding => coding,
    };
    let is_compressed = matches!(coding, Ok(true));
    let mut max_received = max_bytes;
    if is_compressed {
        // They describe the compressed body.
        response.headers_mut().remove(CONTENT_ENCODING);
        response.headers_mut().remove(CONTENT_LENGTH);
        // Data that cannot be compressed becomes slightly larger.
        max_received = max_bytes.saturating_add(max_bytes / 1000 + 1024);
    }
    let mut bytes = Bytes::new();
    let error = loop {
        match response.chunk().await {
            Ok(Some(mut chunk)) => {
                let free = max_received - bytes.len();
                let is_too_large = chunk.len() > free;
                chunk.truncate(free);
                bytes = joined(bytes, chunk);
                if is_too_large {
                    break Some(Error::too_large(max_bytes));
                }
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    if !is_compressed {
        return (bytes, coding.err().or(error));
    }
    let (text, invalid) = gunzip(&bytes, max_bytes);
    let is_kept = text.is_empty() && !is_success;
    let bytes = if is_kept { bytes } else { text.into() };
    (bytes, error.or(invalid))
}

/// Returns `true` for gzip, `false` for no content coding, and an error for any other.
fn is_gzip(headers: &HeaderMap) -> Result<bool, Error> {
    let mut is_gzip = false;
    for value in headers.get_all(CONTENT_ENCODING) {
        for coding in String::from_utf8_lossy(value.as_bytes()).split(',') {
            match coding.trim().to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" if !is_gzip => is_gzip = true,
                other => {
                    let found = quoted(other);
                    let reason = format!(
                        "the response has the content coding {found}; expected gzip once, or none"
                    );
                    return Err(Error::new(ErrorKind::Unreadable, reason));
                }
            }
        }
    }
    Ok(is_gzip)
}

/// Appends a part of a body to the parts before it. A single part is not copied.
fn joined(body: Bytes, chunk: Bytes) -> Bytes {
    if body.is_empty() {
        return chunk;
    }
    let mut all = BytesMut::from(body);
    all.extend_from_slice(&chunk);
    all.freeze()
}

/// Decompresses the members of a body, and ignores the padding around them: zeros and white space. Also
/// returns an error if this is not all of the text.
fn gunzip(body: &[u8], max_bytes: usize) -> (Vec<u8>, Option<Error>) {
    let is_padding = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    const MAX_MEMBERS: usize = 1000;
    let (mut text, mut rest, mut members) = (Vec::new(), body, 0);
    // A body may be empty, as in a 204 response.
    while let Some(start) = rest.iter().position(|byte| !is_padding(byte)) {
        members += 1;
        if members > MAX_MEMBERS {
            let reason = format!("the gzip response has more than {MAX_MEMBERS} members");
            return (text, Some(Error::new(ErrorKind::TooLarge, reason)));
        }
        let mut member = GzDecoder::new(&rest[start..]);
        let mut part = [0; 8192];
        loop {
            let read = match member.read(&mut part) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => return (text, Some(gzip_error(&error, member.header()))),
            };
            let free = max_bytes - text.len();
            text.extend_from_slice(&part[..read.min(free)]);
            if read > free {
                return (text, Some(Error::too_large(max_bytes)));
            }
        }
        rest = member.into_inner();
    }
    (text, None)
}

/// A member with a valid header was damaged on its way, so that another attempt may succeed.
fn gzip_error(error: &io::Error, header: Option<&GzHeader>) -> Error {
    let (kind, problem) = match (error.kind(), header) {
        (io::ErrorKind::UnexpectedEof, _) => (ErrorKind::ResponseLost, "was cut off"),
        (_, Some(_)) => (ErrorKind::ResponseLost, "is corrupt"),
        (_, None) => (ErrorKind::Unreadable, "is not valid"),
    };
    Error::new(kind, format!("the gzip response {problem}: {error}"))
}
