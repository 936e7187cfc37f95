//! Decompresses gzip (RFC 1952) up to a maximum size.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::write::GzDecoder;

use crate::error::{Error, ErrorKind};

/// A gzip body that is being read. It is decompressed as it arrives, so that it never takes more
/// memory than the maximum size.
pub(super) struct Gunzip {
    decoder: GzDecoder<Bounded>,
    received_bytes: usize,
}

impl Gunzip {
    pub(super) fn new(max_bytes: usize) -> Self {
        let bounded = Bounded {
            max_bytes,
            ..Bounded::default()
        };
        Self {
            decoder: GzDecoder::new(bounded),
            received_bytes: 0,
        }
    }

    /// Decompresses a part of the body: members, which may be padded with zeros.
    pub(super) fn push(&mut self, mut chunk: &[u8]) -> Result<(), Error> {
        self.check_received(chunk)?;
        while !chunk.is_empty() {
            let written = self.decoder.write(chunk);
            match written
                .map_err(|error| self.error(ErrorKind::Unreadable, "is not valid", error))?
            {
                // The end of a member.
                0 => match chunk.iter().position(|byte| *byte != 0) {
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
    pub(super) fn finish(&mut self) -> Result<(), Error> {
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

    pub(super) fn into_bytes(mut self) -> Bytes {
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
