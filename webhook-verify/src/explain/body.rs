//! Variants of a body, to find how it was changed.

use alloc::vec::Vec;

use super::Fix;
use super::json_layout;

/// A fix, and a function that applies it to a body if possible.
type BodyFix = (Option<Fix>, fn(&[u8]) -> Option<Vec<u8>>);

const UNCHANGED: BodyFix = (None, |body| Some(body.to_vec()));

const LAYOUTS: [BodyFix; 3] = [
    UNCHANGED,
    (Some(Fix::JsonCompact), |body| with_space(body, "")),
    (Some(Fix::JsonSpaced), |body| with_space(body, " ")),
];

const ENDS: [BodyFix; 3] = [
    UNCHANGED,
    (Some(Fix::BodyWithoutNewline), without_newline),
    (Some(Fix::BodyWithNewline), |body| {
        Some([body, b"\n"].concat())
    }),
];

/// Returns the body as it is and with its JSON in other layouts, each with other ends.
///
/// Creates the variants one by one, because all of them together would take many times the memory
/// of the body.
pub(super) fn variants(body: &[u8]) -> impl Iterator<Item = (Vec<Fix>, Vec<u8>)> {
    LAYOUTS.iter().flat_map(move |(layout, rewrite)| {
        let rewritten = rewrite(body);
        ENDS.iter().filter_map(move |(end, change)| {
            let fixes = [*layout, *end].into_iter().flatten().collect();
            Some((fixes, change(rewritten.as_ref()?)?))
        })
    })
}

/// Returns a hint for a body that no fix can restore.
pub(super) fn hint(body: &[u8]) -> Option<&'static str> {
    if body.is_empty() {
        Some("the body is empty: it may have been read before verification")
    } else if body.starts_with(&[0x1f, 0x8b]) {
        Some("the body is gzip: the service may have signed the uncompressed body")
    } else if body.starts_with(b"{") && !body.trim_ascii_end().ends_with(b"}") {
        Some("the body starts like a JSON object and has no end: it may have been cut")
    } else {
        None
    }
}

fn with_space(body: &[u8], space: &str) -> Option<Vec<u8>> {
    Some(json_layout::rewrite(str::from_utf8(body).ok()?, space)?.into_bytes())
}

fn without_newline(body: &[u8]) -> Option<Vec<u8>> {
    let body = body.strip_suffix(b"\n")?;
    Some(body.strip_suffix(b"\r").unwrap_or(body).to_vec())
}
