//! Large bodies that are generated while they are sent.

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};

/// Start and end of a large body, which make it valid JSON.
const HEAD: &[u8] = b"{\"data\":\"";
const TAIL: &[u8] = b"\"}";

/// Minimum size of a large body in bytes.
pub(super) const MIN_BODY_BYTES: u64 = (HEAD.len() + TAIL.len()) as u64;

/// A gzip header without a name or time (RFC 1952, section 2.3).
const GZIP_HEAD: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff";

/// Size of a piece of a large body in bytes.
const PIECE: usize = 64 * 1024;

/// Decompressed size of a piece of a gzip bomb in bytes.
const BOMB_PIECE: usize = 1024 * 1024;

/// A large body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LargeBody {
    /// JSON with this number of bytes, at least [`MIN_BODY_BYTES`].
    Json(u64),
    /// gzip that decompresses to JSON with this number of bytes, at least [`MIN_BODY_BYTES`].
    Gzip(u64),
}

/// A body made of a head, a repeated piece and a tail.
#[derive(Debug, Clone)]
pub(crate) struct BodyChunks {
    pub(crate) head: Bytes,
    pub(crate) piece: Bytes,
    pub(crate) times: u64,
    pub(crate) tail: Bytes,
}

impl LargeBody {
    pub(crate) fn chunks(self) -> BodyChunks {
        match self {
            Self::Json(bytes) => BodyChunks::json(bytes),
            Self::Gzip(bytes) => BodyChunks::gzip(bytes),
        }
    }
}

impl BodyChunks {
    fn json(bytes: u64) -> Self {
        let filling = bytes - MIN_BODY_BYTES;
        let rest = (filling % PIECE as u64) as usize;
        Self {
            head: Bytes::from_static(HEAD),
            piece: vec![b'x'; PIECE].into(),
            times: filling / PIECE as u64,
            tail: [&vec![b'x'; rest], TAIL].concat().into(),
        }
    }

    /// Compresses the piece independently of what precedes it, so that it can be repeated.
    fn gzip(bytes: u64) -> Self {
        let filling = bytes - MIN_BODY_BYTES;
        let times = filling / BOMB_PIECE as u64;
        let piece = vec![b'x'; BOMB_PIECE];
        let tail = [&piece[..(filling % BOMB_PIECE as u64) as usize], TAIL].concat();
        let mut whole = checksum(HEAD);
        whole.combine(&repeated(&piece, times));
        whole.combine(&checksum(&tail));
        Self {
            head: [GZIP_HEAD, &deflate(HEAD, FlushCompress::Full)]
                .concat()
                .into(),
            piece: deflate(&piece, FlushCompress::Full).into(),
            times,
            tail: gzip_tail(deflate(&tail, FlushCompress::Finish), whole.sum(), bytes).into(),
        }
    }

    /// Returns the total number of bytes.
    pub(crate) fn len(&self) -> u64 {
        let pieces = self.times * self.piece.len() as u64;
        self.head.len() as u64 + pieces + self.tail.len() as u64
    }
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

/// Returns the checksum of a repeated piece. It halves the count recursively, since a loop over every
/// piece of a very large body would take too long.
fn repeated(piece: &[u8], times: u64) -> Crc {
    let mut whole = Crc::new();
    if times == 0 {
        return whole;
    }
    let half = repeated(piece, times / 2);
    whole.combine(&half);
    whole.combine(&half);
    if times % 2 == 1 {
        whole.combine(&checksum(piece));
    }
    whole
}

fn gzip_tail(mut compressed: Vec<u8>, checksum: u32, bytes: u64) -> Vec<u8> {
    // The length is stated modulo 2^32 (RFC 1952, section 2.3.1).
    let length = bytes as u32;
    for number in [checksum, length] {
        compressed.extend_from_slice(&number.to_le_bytes());
    }
    compressed
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    const LENGTHS: [u64; 5] = [11, 12, 65_547, 1_048_587, 5_000_000];

    fn whole(chunks: &BodyChunks) -> Vec<u8> {
        let pieces = chunks.piece.repeat(chunks.times as usize);
        [&chunks.head[..], &pieces, &chunks.tail].concat()
    }

    #[test]
    fn a_large_body_is_json_of_its_length() {
        for length in LENGTHS {
            let chunks = LargeBody::Json(length).chunks();
            assert_eq!(chunks.len(), length);
            let bytes = whole(&chunks);
            assert_eq!(bytes.len() as u64, length);
            let read = serde_json::from_slice::<serde_json::Value>(&bytes);
            assert!(read.is_ok(), "{length}");
        }
    }

    #[test]
    fn a_gzip_bomb_decompresses_to_the_large_body() {
        for length in LENGTHS {
            let bomb = LargeBody::Gzip(length).chunks();
            let compressed = whole(&bomb);
            assert_eq!(compressed.len() as u64, bomb.len());
            let mut bytes = Vec::new();
            GzDecoder::new(compressed.as_slice())
                .read_to_end(&mut bytes)
                .unwrap();
            assert!(bytes == whole(&BodyChunks::json(length)), "{length}");
        }
    }

    #[test]
    fn supports_every_length() {
        assert_eq!(LargeBody::Json(u64::MAX).chunks().len(), u64::MAX);
        assert!(LargeBody::Gzip(u64::MAX).chunks().len() < u64::MAX / 900);
    }

    #[test]
    fn a_gzip_bomb_is_about_a_thousandth_of_its_decompressed_size() {
        let gibibyte = 1 << 30;
        let sent = LargeBody::Gzip(gibibyte).chunks().len();
        assert!(sent < gibibyte / 900, "{sent}");
    }
}
