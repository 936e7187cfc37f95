//! Reads the body of a response, decompressed and up to a maximum size.

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use super::gzip::Gunzip;
use super::incoming::Incoming;
use crate::error::{Error, ErrorKind};
use crate::values::quoted;

/// Reads a body. Also returns an error if it is incomplete: larger than the maximum, cut off, or not
/// valid in its content coding.
pub(super) async fn read_body(response: &mut Incoming, max_bytes: usize) -> (Bytes, Option<Error>) {
    let mut body = match is_gzip(response.headers_mut()) {
        Ok(true) => {
            // They describe the compressed body.
            response.headers_mut().remove(CONTENT_ENCODING);
            response.headers_mut().remove(CONTENT_LENGTH);
            Body::Gzip(Box::new(Gunzip::new(max_bytes)))
        }
        Ok(false) => Body::Plain(Plain {
            max_bytes,
            first: Bytes::new(),
            all: BytesMut::new(),
        }),
        Err(error) => return (Bytes::new(), Some(error)),
    };
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
