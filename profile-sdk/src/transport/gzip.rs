//! Decompresses gzip (RFC 1952) up to a maximum size.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::write::MultiGzDecoder;

use crate::error::{Error, ErrorKind};

/// A gzip body that is being read. It is decompressed as it arrives, so that it never takes more
/// memory than the maximum size.
pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Bounded>,
    is_empty: bool,
}

impl Gunzip {
    pub(super) fn new(max_bytes: usize) -> Self {
        let bounded = Bounded {
            max_bytes,
            bytes: Vec::new(),
            is_exceeded: false,
        };
        Self {
            decoder: MultiGzDecoder::new(bounded),
            is_empty: true,
        }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.is_empty &= chunk.is_empty();
        self.decoder.write_all(chunk).map_err(|error| {
            let reason = "the response is not valid gzip";
            self.error(ErrorKind::Unreadable, reason, error)
        })
    }

    /// Checks the length and the checksum. An empty body is valid, as in a 204 response.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if self.is_empty {
            return Ok(());
        }
        self.decoder.try_finish().map_err(|error| {
            let reason = "the gzip response is incomplete or corrupt";
            self.error(ErrorKind::Interrupted, reason, error)
        })
    }

    pub(super) fn into_bytes(mut self) -> Bytes {
        std::mem::take(&mut self.decoder.get_mut().bytes).into()
    }

    fn error(&self, kind: ErrorKind, reason: &str, error: io::Error) -> Error {
        let bounded = self.decoder.get_ref();
        if bounded.is_exceeded {
            return Error::too_large(bounded.max_bytes);
        }
        Error::new(kind, format!("{reason}: {error}"))
    }
}

/// Collects the decompressed bytes up to a maximum.
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
