//! What a body may have been before something rewrote it.

use alloc::vec::Vec;

use super::Change;
use super::json_layout::{self, Layout};

/// A change and what it makes of a body, if it can be made there.
type Edit = (Change, fn(&[u8]) -> Option<Vec<u8>>);

const EDGES: [Edit; 7] = [
    (Change::BodyWithoutNewline, without_newline),
    (Change::BodyWithNewline, |body| Some([body, b"\n"].concat())),
    (Change::BodyWithCrLf, |body| Some([body, b"\r\n"].concat())),
    (Change::LineBreaksCrLf, |body| {
        Some(replace(&with_lf(body), b"\n", b"\r\n"))
    }),
    (Change::LineBreaksLf, |body| Some(with_lf(body))),
    (Change::BodyWithoutByteOrderMark, |body| {
        Some(body.strip_prefix(BYTE_ORDER_MARK)?.to_vec())
    }),
    (Change::BodyWithByteOrderMark, |body| {
        Some([BYTE_ORDER_MARK, body].concat())
    }),
];

const JSON_LAYOUTS: [Edit; 4] = [
    (Change::JsonCompact, |body| laid_out(body, Layout::Compact)),
    (Change::JsonSpaced, |body| laid_out(body, Layout::Spaced)),
    (Change::JsonIndentedByTwo, |body| {
        laid_out(body, Layout::Indented(2))
    }),
    (Change::JsonIndentedByFour, |body| {
        laid_out(body, Layout::Indented(4))
    }),
];

const JSON_ESCAPES: [Edit; 4] = [
    (Change::JsonEscaped, |body| {
        Some(json_layout::escape(text(body)?).into_bytes())
    }),
    (Change::JsonUnescaped, |body| {
        Some(json_layout::unescape(text(body)?).into_bytes())
    }),
    (Change::JsonSlashesEscaped, |body| {
        Some(replace(&with_plain_slashes(body), b"/", br"\/"))
    }),
    (Change::JsonSlashesUnescaped, |body| {
        Some(with_plain_slashes(body))
    }),
];

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Shows the body itself; it with one change at its edges or line breaks; and its JSON in other
/// layouts and escapes, each again with one such change.
///
/// One after the other, since all of them together are many times the body.
pub(super) fn each_variant(body: &[u8], show: &mut dyn FnMut(&[Change], &[u8])) {
    with_edges(&[], body, show);
    if text(body).is_none() {
        return;
    }
    each_changed(&[], body, &JSON_ESCAPES, &mut |changes, escaped| {
        with_edges(changes, escaped, show);
    });
    each_changed(&[], body, &JSON_LAYOUTS, &mut |changes, laid_out| {
        with_edges(changes, laid_out, show);
        each_changed(changes, laid_out, &JSON_ESCAPES, &mut |changes, escaped| {
            with_edges(changes, escaped, show);
        });
    });
}

fn with_edges(changes: &[Change], body: &[u8], show: &mut dyn FnMut(&[Change], &[u8])) {
    show(changes, body);
    each_changed(changes, body, &EDGES, show);
}

/// Shows what each edit makes of a body that was made by these changes, if it makes another.
fn each_changed(
    changes: &[Change],
    body: &[u8],
    edits: &[Edit],
    show: &mut dyn FnMut(&[Change], &[u8]),
) {
    for (change, edit) in edits {
        match edit(body) {
            Some(changed) if changed != body => show(&[changes, &[*change]].concat(), &changed),
            _ => {}
        }
    }
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

fn laid_out(body: &[u8], layout: Layout) -> Option<Vec<u8>> {
    Some(json_layout::rewrite(text(body)?, layout)?.into_bytes())
}

fn text(body: &[u8]) -> Option<&str> {
    str::from_utf8(body).ok()
}

fn with_plain_slashes(body: &[u8]) -> Vec<u8> {
    replace(body, br"\/", b"/")
}

fn without_newline(body: &[u8]) -> Option<Vec<u8>> {
    let body = body.strip_suffix(b"\n")?;
    Some(body.strip_suffix(b"\r").unwrap_or(body).to_vec())
}

fn with_lf(body: &[u8]) -> Vec<u8> {
    replace(body, b"\r\n", b"\n")
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
