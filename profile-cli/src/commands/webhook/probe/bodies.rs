//! Payloads, which contain `"probe": true`.

/// A payload as the service may send it. Its fields are sorted, so that serializing it again in any
/// language does not change their order.
pub(super) const BODY: &str = r#"{"data":{},"probe":true,"type":"post.liked"}"#;

/// Another payload.
pub(super) const OTHER: &str = r#"{"data":{"by":"mallory"},"probe":true,"type":"post.liked"}"#;

/// [`BODY`], as Python's `json` formats it.
pub(super) const SPACED: &str = r#"{"data": {}, "probe": true, "type": "post.liked"}"#;

/// [`BODY`], as no usual library formats it.
pub(super) const UNUSUAL: &str = r#"{ "data" : {}, "probe" : true, "type" : "post.liked" }"#;

pub(super) const NOT_ASCII: &str = r#"{"by":"Grüße, 世界","probe":true,"type":"post.liked"}"#;

pub(super) const NOT_JSON: &str = "probe: true";

/// Returns a payload of exactly this length in bytes.
pub(super) fn of_length(length: usize) -> String {
    let empty = r#"{"data":"","probe":true,"type":"post.liked"}"#;
    let filling = "x".repeat(length.saturating_sub(empty.len()));
    empty.replacen(r#""""#, &format!("\"{filling}\""), 1)
}
