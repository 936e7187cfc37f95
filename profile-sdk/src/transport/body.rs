//! Reads the body of a response, decompressed (RFC 1952) and up to a maximum size.

use std::io::{self, Write};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flate2::write::GzDecoder;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use super::network::transport_error;
use crate::error::{Error, ErrorKind};
use crate::text::quoted_start;

/// A response whose body has not been read yet.
pub(super) enum Incoming {
    Network {
        response: reqwest::Response,
        timeout: Duration,
    },
    #[cfg(feature = "tower")]
    Layered {
        response: http::Response<super::http_service::ResponseBody>,
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
                use http_body_util::BodyExt as _;

                loop {
                    let frame = response.body_mut().frame();
                    let frame = tokio::time::timeout_at(*deadline, frame).await;
                    let frame = frame.map_err(|_| super::network::timed_out(*timeout))?;
                    match frame.transpose()?.map(http_body::Frame::into_data) {
                        Some(Ok(data)) => return Ok(Some(data)),
                        // Trailers.
                        Some(Err(_)) => {}
                        None => return Ok(None),
                    }
                }
            }
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
    if let Ok(true) = coding {
        // They describe the compressed body.
        response.headers_mut().remove(CONTENT_ENCODING);
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    let max_received = match coding {
        // Data that cannot be compressed becomes slightly larger.
        Ok(true) => max_bytes.saturating_add(max_bytes / 1000 + 1024),
        Ok(false) | Err(_) => max_bytes,
    };
    let mut body = Plain {
        max_bytes: max_received,
        first: Bytes::new(),
        all: BytesMut::new(),
    };
    let error = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                if !body.push(chunk) {
                    break Some(Error::too_large(max_bytes));
                }
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let bytes = body.into_bytes();
    match coding {
        Ok(true) => {
            let (text, invalid) = gunzip(&bytes, max_bytes);
            let is_kept = text.is_empty() && !is_success;
            let bytes = if is_kept { bytes } else { text.into() };
            (bytes, error.or(invalid))
        }
        Ok(false) => (bytes, error),
        Err(coding) => (bytes, Some(coding)),
    }
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
                    let found = quoted_start(other);
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

/// A body that is being read.
struct Plain {
    max_bytes: usize,
    /// Most responses arrive in one chunk, which need not be copied.
    first: Bytes,
    /// All chunks, if there are several.
    all: BytesMut,
}

impl Plain {
    /// Adds a chunk. Returns `false` if the body is too large.
    fn push(&mut self, mut chunk: Bytes) -> bool {
        let free = self.max_bytes - self.first.len().max(self.all.len());
        let fits = chunk.len() <= free;
        chunk.truncate(free);
        if self.first.is_empty() {
            self.first = chunk;
        } else {
            if self.all.is_empty() {
                self.all.extend_from_slice(&self.first);
            }
            self.all.extend_from_slice(&chunk);
        }
        fits
    }

    fn into_bytes(self) -> Bytes {
        if self.all.is_empty() {
            self.first
        } else {
            self.all.freeze()
        }
    }
}

/// Decompresses a body. Also returns the error of one that is invalid or too large.
fn gunzip(body: &[u8], max_bytes: usize) -> (Vec<u8>, Option<Error>) {
    let mut decoder = GzDecoder::new(Bounded::default());
    decoder.get_mut().max_bytes = max_bytes;
    let result = match body {
        // As in a 204 response.
        [] => Ok(()),
        body => decompress(&mut decoder, body),
    };
    let decompressed = std::mem::take(decoder.get_mut());
    let error = result.err().map(|(kind, problem, error)| {
        let reason = format!("the gzip response {problem}: {error}");
        match decompressed.is_exceeded {
            true => Error::too_large(max_bytes),
            false => Error::new(kind, reason),
        }
    });
    (decompressed.bytes, error)
}

/// Decompresses members, which zeros or white space may follow.
fn decompress(
    decoder: &mut GzDecoder<Bounded>,
    mut rest: &[u8],
) -> Result<(), (ErrorKind, &'static str, io::Error)> {
    // Checks the length and the checksum.
    let finish = |decoder: &mut GzDecoder<Bounded>| {
        // A complete member takes no more bytes.
        if !matches!(decoder.write(&[0]), Ok(0)) {
            let cut = io::ErrorKind::UnexpectedEof.into();
            return Err((ErrorKind::Interrupted, "was cut off", cut));
        }
        let finished = decoder.try_finish();
        finished.map_err(|error| (ErrorKind::Interrupted, "is corrupt", error))
    };
    while !rest.is_empty() {
        let written = decoder.write(rest);
        match written.map_err(|error| (ErrorKind::Unreadable, "is not valid", error))? {
            // The end of a member.
            0 => match rest
                .iter()
                .position(|byte| *byte != 0 && !byte.is_ascii_whitespace())
            {
                Some(padding) => {
                    finish(decoder)?;
                    let bounded = std::mem::take(decoder.get_mut());
                    *decoder = GzDecoder::new(bounded);
                    rest = &rest[padding..];
                }
                None => break,
            },
            written => rest = &rest[written..],
        }
    }
    finish(decoder)
}

/// Collects the decompressed bytes up to a maximum.
#[derive(Default)]
struct Bounded {
    max_bytes: usize,
    bytes: Vec<u8>,
    is_exceeded: bool,
}

impl Write for Bounded {
    fn write(&mut self, decompressed: &[u8]) -> io::Result<usize> {
        let free = self.max_bytes - self.bytes.len();
        let fitting = decompressed.len().min(free);
        self.bytes.extend_from_slice(&decompressed[..fitting]);
        if fitting < decompressed.len() {
            self.is_exceeded = true;
            return Err(io::Error::other("the maximum size is exceeded"));
        }
        Ok(fitting)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
