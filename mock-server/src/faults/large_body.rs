//! A long body that is made while it is sent.

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};

/// What a huge body begins and ends with, so that it is JSON.
const HEAD: &[u8] = b"{\"data\":\"";
const TAIL: &[u8] = b"\"}";

/// How many bytes a huge body has at least: what it begins and ends with.
pub(super) const MIN_BODY_BYTES: u64 = (HEAD.len() + TAIL.len()) as u64;

/// The head of a gzip stream: no name, no time, made anywhere (RFC 1952, section 2.3).
const GZIP_HEAD: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff";

/// How many bytes of a huge body are held at a time.
const PIECE: usize = 64 * 1024;

/// How many bytes of a bomb one piece of compressed bytes stands for.
const BOMB_PIECE: usize = 1024 * 1024;

/// Which long body an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LargeBody {
    /// JSON of this many bytes, at least [`MIN_BODY_BYTES`].
    Json(u64),
    /// gzip that becomes JSON of this many bytes, at least [`MIN_BODY_BYTES`].
    Gzip(u64),
}

/// A body ready to be sent: a head, one piece again and again, and a tail.
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

    /// A compressed piece refers to nothing before it, so that it can be repeated.
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

    /// The number of bytes.
    pub(crate) fn len(&self) -> u64 {
        let pieces = self.times * self.piece.len() as u64;
        self.head.len() as u64 + pieces + self.tail.len() as u64
    }

    /// All of it at once, for a transport that cannot make it while it sends.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head.to_vec();
        for _ in 0..self.times {
            bytes.extend_from_slice(&self.piece);
        }
        bytes.extend_from_slice(&self.tail);
        bytes
    }
}

fn deflate(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    // Even bytes that do not compress fit into a little more than their own length.
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

/// The checksum of a piece that is repeated. It goes by halves, since a loop over the pieces of the
/// largest bombs would never end.
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

    #[test]
    fn a_huge_body_is_json_of_its_length() {
        for length in LENGTHS {
            let chunks = LargeBody::Json(length).chunks();
            assert_eq!(chunks.len(), length);
            let bytes = chunks.into_bytes();
            assert_eq!(bytes.len() as u64, length);
            let read = serde_json::from_slice::<serde_json::Value>(&bytes);
            assert!(read.is_ok(), "{length}");
        }
    }

    #[test]
    fn a_bomb_becomes_the_huge_body() {
        for length in LENGTHS {
            let bomb = LargeBody::Gzip(length).chunks();
            let compressed = bomb.clone().into_bytes();
            assert_eq!(compressed.len() as u64, bomb.len());
            let mut bytes = Vec::new();
            GzDecoder::new(compressed.as_slice())
                .read_to_end(&mut bytes)
                .unwrap();
            assert!(bytes == BodyChunks::json(length).into_bytes(), "{length}");
        }
    }

    #[test]
    fn no_length_is_too_much() {
        assert_eq!(LargeBody::Json(u64::MAX).chunks().len(), u64::MAX);
        assert!(LargeBody::Gzip(u64::MAX).chunks().len() < u64::MAX / 900);
    }

    #[test]
    fn a_bomb_is_a_thousandth_of_what_it_becomes() {
        let gibibyte = 1 << 30;
        let sent = LargeBody::Gzip(gibibyte).chunks().len();
        assert!(sent < gibibyte / 900, "{sent}");
    }
}
