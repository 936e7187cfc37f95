//! Variants of a body, to find how it was changed.

use alloc::vec::Vec;

use super::Fix;
use super::json_layout;

/// A fix, and a function that applies it to a body if possible.
type BodyFix = (Fix, fn(&[u8]) -> Option<Vec<u8>>);

const EDGE_FIXES: [BodyFix; 4] = [
    (Fix::BodyWithoutNewline, without_newline),
    (Fix::BodyWithNewline, |body| Some([body, b"\n"].concat())),
    (Fix::LineBreaksCrLf, |body| {
        Some(replace(&with_lf(body), b"\n", b"\r\n"))
    }),
    (Fix::LineBreaksLf, |body| Some(with_lf(body))),
];

const JSON_LAYOUT_FIXES: [BodyFix; 2] = [
    (Fix::JsonCompact, |body| with_space(body, "")),
    (Fix::JsonSpaced, |body| with_space(body, " ")),
];

const JSON_ESCAPE_FIXES: [BodyFix; 4] = [
    (Fix::JsonEscaped, |body| {
        Some(json_layout::escape(as_utf8(body)?).into_bytes())
    }),
    (Fix::JsonUnescaped, |body| {
        Some(json_layout::unescape(as_utf8(body)?).into_bytes())
    }),
    (Fix::JsonSlashesEscaped, |body| {
        Some(replace(&with_plain_slashes(body), b"/", br"\/"))
    }),
    (Fix::JsonSlashesUnescaped, |body| {
        Some(with_plain_slashes(body))
    }),
];

/// Visits the body; the body with other edges or line breaks; and its JSON in other layouts and
/// with other escapes, each of them again with other edges or line breaks.
///
/// Visits the variants one by one, because all of them together would take many times the memory
/// of the body.
pub(super) fn for_each_variant(body: &[u8], visit: &mut dyn FnMut(&[Fix], &[u8])) {
    visit_with_edges(&[], body, visit);
    if as_utf8(body).is_none() {
        return;
    }
    for_each_fix(&[], body, &JSON_ESCAPE_FIXES, &mut |fixes, escaped| {
        visit_with_edges(fixes, escaped, visit);
    });
    for_each_fix(&[], body, &JSON_LAYOUT_FIXES, &mut |fixes, laid_out| {
        visit_with_edges(fixes, laid_out, visit);
        for_each_fix(
            fixes,
            laid_out,
            &JSON_ESCAPE_FIXES,
            &mut |fixes, escaped| {
                visit_with_edges(fixes, escaped, visit);
            },
        );
    });
}

fn visit_with_edges(fixes: &[Fix], body: &[u8], visit: &mut dyn FnMut(&[Fix], &[u8])) {
    visit(fixes, body);
    for_each_fix(fixes, body, &EDGE_FIXES, visit);
}

/// Applies each fix to a body that already has `fixes`, and visits the results that differ.
fn for_each_fix(
    fixes: &[Fix],
    body: &[u8],
    body_fixes: &[BodyFix],
    visit: &mut dyn FnMut(&[Fix], &[u8]),
) {
    for (fix, apply) in body_fixes {
        match apply(body) {
            Some(fixed) if fixed != body => visit(&[fixes, &[*fix]].concat(), &fixed),
            _ => {}
        }
    }
}

/// Returns a hint for a body that no fix can restore.
pub(super) fn hint(body: &[u8]) -> Option<&'static str> {
    if body.is_empty() {
        Some("the body is empty: it may have been read before verification")
    } else if body.starts_with(&[0x1f, 0x8b]) {
        Some("the body is gzip: the service may have signed the uncompressed body")
    } else if body.windows(3).any(|bytes| bytes == "\u{fffd}".as_bytes()) {
        Some("the body contains U+FFFD: bytes were lost when it was decoded as text")
    } else {
        None
    }
}

fn with_space(body: &[u8], space: &str) -> Option<Vec<u8>> {
    Some(json_layout::rewrite(as_utf8(body)?, space)?.into_bytes())
}

fn as_utf8(body: &[u8]) -> Option<&str> {
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
