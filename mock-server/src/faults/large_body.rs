//! Large bodies.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};
use http_body::{Body, Frame, SizeHint};

/// Start and end of a large body, which make it valid JSON.
const HEAD: &[u8] = b"{\"data\":\"";
const TAIL: &[u8] = b"\"}";

/// Minimum and maximum size of a large body in bytes: one gibibyte.
pub(super) const MIN_BODY_BYTES: usize = HEAD.len() + TAIL.len();
pub(super) const MAX_BODY_BYTES: usize = 1 << 30;

/// A gzip header without a name or time (RFC 1952, section 2.3).
const GZIP_HEAD: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff";

/// Decompressed size of a piece of a gzip body in bytes.
const PIECE: usize = 1024 * 1024;

/// A JSON body, which is sent from one block, so that it takes no memory of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LargeBody {
    length: usize,
    sent: usize,
}

impl LargeBody {
    pub(super) fn new(length: usize) -> Self {
        Self { length, sent: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Returns the next piece, which is empty at the end.
    fn piece(&self) -> Bytes {
        static BLOCK: [u8; 64 * 1024] = [b'x'; 64 * 1024];
        match self.length - TAIL.len() {
            _ if self.sent == 0 => Bytes::from_static(HEAD),
            end if self.sent < end => {
                Bytes::from_static(&BLOCK[..BLOCK.len().min(end - self.sent)])
            }
            end => Bytes::from_static(&TAIL[self.sent - end..]),
        }
    }

    /// Returns the first bytes of the body, at most `limit`.
    pub(crate) fn start(&self, limit: usize) -> Bytes {
        let (mut start, mut rest) = (Vec::new(), self.clone());
        while start.len() < limit.min(self.length) {
            start.extend_from_slice(&rest.piece());
            rest.sent = start.len();
        }
        start.truncate(limit);
        start.into()
    }

    /// Returns the whole body, compressed with gzip.
    pub(crate) fn gzip(&self) -> Bytes {
        gzip(self.length)
    }
}

impl Body for LargeBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.piece();
        self.sent += piece.len();
        Poll::Ready((!piece.is_empty()).then_some(Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact((self.length - self.sent) as u64)
    }
}

/// Returns such a body with gzip. Each piece is compressed independently of what precedes it, so that it
/// can be repeated.
pub(super) fn gzip(bytes: usize) -> Bytes {
    let filling = bytes - MIN_BODY_BYTES;
    let piece = vec![b'x'; PIECE];
    let tail = [&piece[..filling % PIECE], TAIL].concat();
    let (compressed, sum) = (deflate(&piece, FlushCompress::Full), checksum(&piece));
    let mut body = [GZIP_HEAD, &deflate(HEAD, FlushCompress::Full)].concat();
    let mut whole = checksum(HEAD);
    for _ in 0..filling / PIECE {
        body.extend_from_slice(&compressed);
        whole.combine(&sum);
    }
    whole.combine(&checksum(&tail));
    body.extend(deflate(&tail, FlushCompress::Finish));
    // The length is stated modulo 2^32 (RFC 1952, section 2.3.1).
    for number in [whole.sum(), bytes as u32] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    body.into()
}

fn deflate(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    // Incompressible data grows by less than 0.1 % plus 64 bytes.
    let mut compressed = Vec::with_capacity(bytes.len() + bytes.len() / 1000 + 64);
    Compress::new(Compression::best(), false)
        .compress_vec(bytes, &mut compressed, flush)
        .expect("the buffer is large enough");
    compressed
}

fn checksum(bytes: &[u8]) -> Crc {
    let mut checksum = Crc::new();
    checksum.update(bytes);
    checksum
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn large_bodies_are_json_of_their_length() {
        for length in [11, 12, 65_547, 1_048_587, 5_000_000] {
            let body = LargeBody::new(length).start(length);
            assert_eq!(body.len(), length);
            let read = serde_json::from_slice::<serde_json::Value>(&body);
            assert!(read.is_ok(), "{length}");
            let mut decompressed = Vec::new();
            let compressed = gzip(length);
            GzDecoder::new(&compressed[..])
                .read_to_end(&mut decompressed)
                .unwrap();
            assert!(decompressed == body, "{length}");
        }
    }

    #[test]
    fn a_gzip_body_is_about_a_thousandth_of_its_decompressed_size() {
        let sent = gzip(MAX_BODY_BYTES).len();
        assert!(sent < MAX_BODY_BYTES / 900, "{sent}");
    }
}
