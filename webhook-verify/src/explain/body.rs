//! What a body may have been before something rewrote it.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::json_layout::{self, Layout};
use super::{Change, Variant};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The body itself; it with one change at its edges or line breaks; and its
/// JSON in other layouts and escapes, each again with one such change.
pub(super) fn variants(body: &[u8]) -> Vec<Variant> {
    let mut variants = vec![(vec![], body.to_vec())];
    extend_with(&mut variants, 0..1, edges);
    if let Ok(text) = str::from_utf8(body) {
        let first_json = variants.len();
        extend_with(&mut variants, 0..1, |_| json_layouts(text));
        let layouts = first_json..variants.len();
        for range in [0..1, layouts] {
            extend_with(&mut variants, range, json_escapes);
        }
        let json = first_json..variants.len();
        extend_with(&mut variants, json, edges);
    }
    variants
}

/// What can be seen in a body that is beyond repair.
pub(super) fn hints(body: &[u8]) -> Vec<&'static str> {
    let is_compressed = body.starts_with(&[0x1f, 0x8b]);
    let is_lossy = body.windows(3).any(|bytes| bytes == "\u{fffd}".as_bytes());
    let hints = [
        (
            body.is_empty(),
            "the body is empty: something may have consumed it before",
        ),
        (
            is_compressed,
            "the body is gzip: the signature may be that of the uncompressed one",
        ),
        (
            is_lossy,
            "the body has U+FFFD: something decoded it as text and lost bytes",
        ),
    ];
    hints
        .into_iter()
        .filter(|hint| hint.0)
        .map(|hint| hint.1)
        .collect()
}

/// Adds what one more change makes of each variant in the range, if nothing like it is there.
fn extend_with(
    variants: &mut Vec<Variant>,
    range: Range<usize>,
    change: impl Fn(&[u8]) -> Vec<(Change, Vec<u8>)>,
) {
    for index in range {
        let (before, body) = variants[index].clone();
        for (change, changed) in change(&body) {
            if variants.iter().all(|(_, known)| *known != changed) {
                variants.push(([&before[..], &[change]].concat(), changed));
            }
        }
    }
}

fn json_layouts(text: &str) -> Vec<(Change, Vec<u8>)> {
    let layouts = [
        (Change::JsonCompact, Layout::Compact),
        (Change::JsonSpaced, Layout::Spaced),
        (Change::JsonIndentedByTwo, Layout::Indented(2)),
        (Change::JsonIndentedByFour, Layout::Indented(4)),
    ];
    let rewritten =
        |(change, layout)| Some((change, json_layout::rewrite(text, layout)?.into_bytes()));
    layouts.into_iter().filter_map(rewritten).collect()
}

fn json_escapes(body: &[u8]) -> Vec<(Change, Vec<u8>)> {
    let Ok(text) = str::from_utf8(body) else {
        return Vec::new();
    };
    let plain_slashes = text.replace(r"\/", "/");
    let escapes = [
        (Change::JsonEscaped, json_layout::escape(text)),
        (Change::JsonUnescaped, json_layout::unescape(text)),
        (
            Change::JsonSlashesEscaped,
            plain_slashes.replace('/', r"\/"),
        ),
        (Change::JsonSlashesUnescaped, plain_slashes),
    ];
    let as_bytes = |(change, text): (Change, String)| (change, text.into_bytes());
    escapes.into_iter().map(as_bytes).collect()
}

fn edges(body: &[u8]) -> Vec<(Change, Vec<u8>)> {
    let without_newline = body
        .strip_suffix(b"\n")
        .map(|body| body.strip_suffix(b"\r").unwrap_or(body));
    let lf = replace(body, b"\r\n", b"\n");
    let changed = [
        (
            Change::BodyWithoutNewline,
            without_newline.map(<[u8]>::to_vec),
        ),
        (Change::BodyWithNewline, Some([body, b"\n"].concat())),
        (Change::BodyWithCrLf, Some([body, b"\r\n"].concat())),
        (Change::LineBreaksCrLf, Some(replace(&lf, b"\n", b"\r\n"))),
        (Change::LineBreaksLf, Some(lf)),
        (
            Change::BodyWithoutByteOrderMark,
            body.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec),
        ),
        (
            Change::BodyWithByteOrderMark,
            Some([BYTE_ORDER_MARK, body].concat()),
        ),
    ];
    changed
        .into_iter()
        .filter_map(|(change, body)| Some((change, body?)))
        .collect()
}

fn replace(mut body: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(body.len());
    while let Some((&first, rest)) = body.split_first() {
        match body.strip_prefix(from) {
            Some(after) => {
                replaced.extend_from_slice(to);
                body = after;
            }
            None => {
                replaced.push(first);
                body = rest;
            }
        }
    }
    replaced
}
