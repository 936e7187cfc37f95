//! Large bodies.

use std::io::IoSlice;

use bytes::buf::Chain;
use bytes::{Buf, Bytes};
use flate2::{Compress, Compression, Crc, FlushCompress};

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

/// A body in three parts: the second is sent from one block, so that it takes no memory of its own.
pub(crate) type ReplyBody = Chain<Chain<Bytes, Filling>, &'static [u8]>;

/// Returns a JSON body of this length.
pub(crate) fn json(bytes: usize) -> ReplyBody {
    let filling = Filling(bytes - MIN_BODY_BYTES);
    Bytes::from_static(HEAD).chain(filling).chain(TAIL)
}

/// Returns a body without a filling.
pub(crate) fn plain(body: Bytes) -> ReplyBody {
    body.chain(Filling(0)).chain(b"")
}

static BLOCK: [u8; 64 * 1024] = [b'x'; 64 * 1024];

/// This many `x`.
#[derive(Debug)]
pub(crate) struct Filling(usize);

impl Buf for Filling {
    fn remaining(&self) -> usize {
        self.0
    }

    fn chunk(&self) -> &[u8] {
        &BLOCK[..self.0.min(BLOCK.len())]
    }

    // By default it would return one piece, after which a chain would continue with the next part.
    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let starts = (0..self.0).step_by(BLOCK.len());
        let pieces = starts.map(|start| &BLOCK[..BLOCK.len().min(self.0 - start)]);
        let filled = slices.iter_mut().zip(pieces);
        filled
            .map(|(slice, piece)| *slice = IoSlice::new(piece))
            .count()
    }

    fn advance(&mut self, sent: usize) {
        self.0 -= sent;
    }
}

/// Returns the same body with gzip. Each piece is compressed independently of what precedes it, so that it
/// can be repeated.
pub(crate) fn gzip(bytes: usize) -> Vec<u8> {
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
    body
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
            let body = json(length).copy_to_bytes(length);
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
