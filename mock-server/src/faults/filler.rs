//! A long body that is made while it is sent.

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};

/// What a huge body begins and ends with, so that it is JSON.
const HEAD: &[u8] = b"{\"data\":\"";
const TAIL: &[u8] = b"\"}";

/// How many bytes of a huge body are held at a time.
const PIECE: usize = 64 * 1024;

/// How many bytes of a bomb one piece of compressed bytes stands for.
const BOMB_PIECE: usize = 1024 * 1024;

/// A body: a head, one piece again and again, and a tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filler {
    pub(crate) head: Bytes,
    pub(crate) piece: Bytes,
    pub(crate) times: u64,
    pub(crate) tail: Bytes,
}

impl Filler {
    /// JSON of this many bytes.
    pub(crate) fn json(bytes: u64) -> Self {
        let Frame {
            head,
            filling,
            tail,
        } = Frame::of(bytes);
        let rest = (filling % PIECE as u64) as usize;
        Self {
            head: Bytes::copy_from_slice(head),
            piece: vec![b'x'; PIECE].into(),
            times: filling / PIECE as u64,
            tail: [&vec![b'x'; rest], tail].concat().into(),
        }
    }

    /// gzip that becomes JSON of this many bytes. A compressed piece refers to nothing before it,
    /// so that it can be repeated.
    pub(crate) fn gzip(bytes: u64) -> Self {
        let Frame {
            head,
            filling,
            tail,
        } = Frame::of(bytes);
        let times = filling / BOMB_PIECE as u64;
        let piece = vec![b'x'; BOMB_PIECE];
        let tail = [&piece[..(filling % BOMB_PIECE as u64) as usize], tail].concat();
        let checksum = checksum(head, &piece, times, &tail);
        Self {
            head: [gzip_head(), &deflate(head, FlushCompress::Full)]
                .concat()
                .into(),
            piece: deflate(&piece, FlushCompress::Full).into(),
            times,
            tail: gzip_tail(deflate(&tail, FlushCompress::Finish), checksum, bytes).into(),
        }
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> u64 {
        let pieces = self.times * self.piece.len() as u64;
        self.head.len() as u64 + pieces + self.tail.len() as u64
    }

    /// The number of bytes, provided that they are not compressed.
    pub(crate) fn plain_length(&self) -> Option<u64> {
        let is_compressed = self.head.starts_with(gzip_head());
        (!is_compressed).then(|| self.len())
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

/// How a body of some length begins and ends, and how much stands between. One that is too short
/// for both is cut off.
struct Frame {
    head: &'static [u8],
    filling: u64,
    tail: &'static [u8],
}

impl Frame {
    fn of(bytes: u64) -> Self {
        let head = at_most(HEAD, bytes);
        let tail = at_most(TAIL, bytes - head.len() as u64);
        let filling = bytes - (head.len() + tail.len()) as u64;
        Self {
            head,
            filling,
            tail,
        }
    }
}

fn at_most(part: &'static [u8], bytes: u64) -> &'static [u8] {
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    &part[..part.len().min(length)]
}

fn deflate(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    // Even bytes that do not compress fit into a little more than their own length.
    let mut compressed = Vec::with_capacity(bytes.len() + bytes.len() / 1000 + 64);
    Compress::new(Compression::best(), false)
        .compress_vec(bytes, &mut compressed, flush)
        .expect("the buffer is large enough");
    compressed
}

/// The checksum of all of a body, without going through all of it.
fn checksum(head: &[u8], piece: &[u8], times: u64, tail: &[u8]) -> u32 {
    let of = |bytes: &[u8]| {
        let mut crc = Crc::new();
        crc.update(bytes);
        crc
    };
    let (mut whole, piece) = (of(head), of(piece));
    for _ in 0..times {
        whole.combine(&piece);
    }
    whole.combine(&of(tail));
    whole.sum()
}

/// No name, no time, made anywhere (RFC 1952, section 2.3).
fn gzip_head() -> &'static [u8] {
    b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
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

    const LENGTHS: [u64; 8] = [0, 1, 10, 11, 12, 65_547, 1_048_587, 5_000_000];

    #[test]
    fn a_huge_body_is_json_of_its_length() {
        for length in LENGTHS {
            let filler = Filler::json(length);
            assert_eq!(filler.len(), length);
            let bytes = filler.into_bytes();
            assert_eq!(bytes.len() as u64, length);
            let is_json = serde_json::from_slice::<serde_json::Value>(&bytes).is_ok();
            assert_eq!(is_json, length >= 11, "{length}");
        }
    }

    #[test]
    fn a_bomb_becomes_the_huge_body() {
        for length in LENGTHS {
            let bomb = Filler::gzip(length);
            let compressed = bomb.clone().into_bytes();
            assert_eq!(compressed.len() as u64, bomb.len());
            let mut bytes = Vec::new();
            GzDecoder::new(compressed.as_slice())
                .read_to_end(&mut bytes)
                .unwrap();
            assert!(bytes == Filler::json(length).into_bytes(), "{length}");
        }
    }

    #[test]
    fn a_bomb_is_a_thousandth_of_what_it_becomes() {
        let gibibyte = 1 << 30;
        let sent = Filler::gzip(gibibyte).len();
        assert!(sent < gibibyte / 900, "{sent}");
    }
}
