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
    let coding = is_gzip(response.headers_mut());
    if let Ok(true) = coding {
        // They describe the compressed body.
        response.headers_mut().remove(CONTENT_ENCODING);
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    let body = match &coding {
        Ok(true) if is_success => Body::Gzip(Box::new(Gunzip::new(max_bytes))),
        Err(error) if is_success => return (Bytes::new(), Some(error.clone())),
        Ok(_) | Err(_) => Body::Plain(Plain {
            max_bytes,
            first: Bytes::new(),
            all: BytesMut::new(),
        }),
    };
    let (bytes, error) = read_all(response, body).await;
    match coding {
        Ok(true) if !is_success => {
            let mut gunzip = Gunzip::new(max_bytes);
            let unzipped = gunzip.push(&bytes).and_then(|()| gunzip.finish());
            let text = gunzip.into_bytes();
            let bytes = if text.is_empty() { bytes } else { text };
            (bytes, error.or(unzipped.err()))
        }
        Ok(_) => (bytes, error),
        Err(coding) => (bytes, Some(coding)),
    }
}

async fn read_all(response: &mut Incoming, mut body: Body) -> (Bytes, Option<Error>) {
    let error = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => match body.push(chunk) {
                Ok(()) => {}
                Err(error) => break Some(error),
            },
            Ok(None) => break body.finish().err(),
            Err(error) => break Some(error),
        }
    };
    (body.into_bytes(), error)
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
enum Body {
    Plain(Plain),
    /// Boxed, because it is large and most bodies are plain.
    Gzip(Box<Gunzip>),
}

impl Body {
    fn push(&mut self, chunk: Bytes) -> Result<(), Error> {
        match self {
            Self::Plain(body) => body.push(chunk),
            Self::Gzip(body) => body.push(&chunk),
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(body) => body.finish(),
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Plain(body) => body.into_bytes(),
            Self::Gzip(body) => body.into_bytes(),
        }
    }
}

/// A body without content coding.
struct Plain {
    max_bytes: usize,
    /// Most responses arrive in one chunk, which need not be copied.
    first: Bytes,
    /// All chunks, if there are several.
    all: BytesMut,
}

impl Plain {
    fn push(&mut self, mut chunk: Bytes) -> Result<(), Error> {
        let free = self.max_bytes - self.first.len().max(self.all.len());
        let is_too_large = chunk.len() > free;
        chunk.truncate(free);
        if self.first.is_empty() {
            self.first = chunk;
        } else {
            if self.all.is_empty() {
                self.all.extend_from_slice(&self.first);
            }
            self.all.extend_from_slice(&chunk);
        }
        match is_too_large {
            true => Err(Error::too_large(self.max_bytes)),
            false => Ok(()),
        }
    }

    fn into_bytes(self) -> Bytes {
        if self.all.is_empty() {
            self.first
        } else {
            self.all.freeze()
        }
    }
}

/// A gzip body that is being read. It is decompressed as it arrives, so that it never takes more
/// memory than the maximum size.
struct Gunzip {
    decoder: GzDecoder<Bounded>,
    received_bytes: usize,
}

impl Gunzip {
    fn new(max_bytes: usize) -> Self {
        let bounded = Bounded {
            max_bytes,
            ..Bounded::default()
        };
        Self {
            decoder: GzDecoder::new(bounded),
            received_bytes: 0,
        }
    }

    /// Decompresses a part of the body: members, which zeros or white space may follow.
    fn push(&mut self, mut chunk: &[u8]) -> Result<(), Error> {
        self.check_received(chunk)?;
        while !chunk.is_empty() {
            let written = self.decoder.write(chunk);
            match written
                .map_err(|error| self.error(ErrorKind::Unreadable, "is not valid", error))?
            {
                // The end of a member.
                0 => match chunk.iter().position(|byte| !is_padding(*byte)) {
                    Some(padding) => {
                        self.finish()?;
                        let bounded = std::mem::take(self.decoder.get_mut());
                        self.decoder = GzDecoder::new(bounded);
                        chunk = &chunk[padding..];
                    }
                    None => break,
                },
                written => chunk = &chunk[written..],
            }
        }
        Ok(())
    }

    /// Checks the length and the checksum. An empty body is valid, as in a 204 response.
    fn finish(&mut self) -> Result<(), Error> {
        if self.received_bytes == 0 {
            return Ok(());
        }
        // A complete member takes no more bytes.
        if !matches!(self.decoder.write(&[0]), Ok(0)) {
            let cut = io::ErrorKind::UnexpectedEof.into();
            return Err(self.error(ErrorKind::Interrupted, "was cut off", cut));
        }
        let finished = self.decoder.try_finish();
        finished.map_err(|error| self.error(ErrorKind::Interrupted, "is corrupt", error))
    }

    fn into_bytes(mut self) -> Bytes {
        std::mem::take(&mut self.decoder.get_mut().bytes).into()
    }

    /// Limits the compressed size, too, because empty blocks decompress to nothing.
    fn check_received(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let max_bytes = self.decoder.get_ref().max_bytes;
        // What cannot be compressed becomes slightly larger.
        let max_received = max_bytes.saturating_add(max_bytes / 1000 + 1024);
        self.received_bytes = self.received_bytes.saturating_add(chunk.len());
        match self.received_bytes > max_received {
            true => Err(Error::too_large(max_bytes)),
            false => Ok(()),
        }
    }

    fn error(&self, kind: ErrorKind, problem: &str, error: io::Error) -> Error {
        let bounded = self.decoder.get_ref();
        if bounded.is_exceeded {
            return Error::too_large(bounded.max_bytes);
        }
        Error::new(kind, format!("the gzip response {problem}: {error}"))
    }
}

fn is_padding(byte: u8) -> bool {
    byte == 0 || byte.is_ascii_whitespace()
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
