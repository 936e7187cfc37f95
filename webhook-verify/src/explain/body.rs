//! What a body may have been before something rewrote it.

use alloc::vec::Vec;

use super::Fix;
use super::json_layout::{self, Layout};

/// A change and what it makes of a body, if it can be made there.
type Edit = (Fix, fn(&[u8]) -> Option<Vec<u8>>);

const EDGES: [Edit; 7] = [
    (Fix::BodyWithoutNewline, without_newline),
    (Fix::BodyWithNewline, |body| Some([body, b"\n"].concat())),
    (Fix::BodyWithCrLf, |body| Some([body, b"\r\n"].concat())),
    (Fix::LineBreaksCrLf, |body| {
        Some(replace(&with_lf(body), b"\n", b"\r\n"))
    }),
    (Fix::LineBreaksLf, |body| Some(with_lf(body))),
    (Fix::BodyWithoutByteOrderMark, |body| {
        Some(body.strip_prefix(BYTE_ORDER_MARK)?.to_vec())
    }),
    (Fix::BodyWithByteOrderMark, |body| {
        Some([BYTE_ORDER_MARK, body].concat())
    }),
];

const JSON_LAYOUTS: [Edit; 4] = [
    (Fix::JsonCompact, |body| laid_out(body, Layout::Compact)),
    (Fix::JsonSpaced, |body| laid_out(body, Layout::Spaced)),
    (Fix::JsonIndentedByTwo, |body| {
        laid_out(body, Layout::Indented(2))
    }),
    (Fix::JsonIndentedByFour, |body| {
        laid_out(body, Layout::Indented(4))
    }),
];

const JSON_ESCAPES: [Edit; 4] = [
    (Fix::JsonEscaped, |body| {
        Some(json_layout::escape(text(body)?).into_bytes())
    }),
    (Fix::JsonUnescaped, |body| {
        Some(json_layout::unescape(text(body)?).into_bytes())
    }),
    (Fix::JsonSlashesEscaped, |body| {
        Some(replace(&with_plain_slashes(body), b"/", br"\/"))
    }),
    (Fix::JsonSlashesUnescaped, |body| {
        Some(with_plain_slashes(body))
    }),
];

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Shows the body itself; it with one change at its edges or line breaks; and its JSON in other
/// layouts and escapes, each again with one such change.
///
/// One after the other, since all of them together are many times the body.
pub(super) fn each_variant(body: &[u8], show: &mut dyn FnMut(&[Fix], &[u8])) {
    with_edges(&[], body, show);
    if text(body).is_none() {
        return;
    }
    each_fixed(&[], body, &JSON_ESCAPES, &mut |fixes, escaped| {
        with_edges(fixes, escaped, show);
    });
    each_fixed(&[], body, &JSON_LAYOUTS, &mut |fixes, laid_out| {
        with_edges(fixes, laid_out, show);
        each_fixed(fixes, laid_out, &JSON_ESCAPES, &mut |fixes, escaped| {
            with_edges(fixes, escaped, show);
        });
    });
}

fn with_edges(fixes: &[Fix], body: &[u8], show: &mut dyn FnMut(&[Fix], &[u8])) {
    show(fixes, body);
    each_fixed(fixes, body, &EDGES, show);
}

/// Shows what each edit makes of a body that was made by these changes, if it makes another.
fn each_fixed(fixes: &[Fix], body: &[u8], edits: &[Edit], show: &mut dyn FnMut(&[Fix], &[u8])) {
    for (fix, edit) in edits {
        match edit(body) {
            Some(fixed) if fixed != body => show(&[fixes, &[*fix]].concat(), &fixed),
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
