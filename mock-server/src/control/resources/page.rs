//! `/` and `/_mock/`: a page that shows and controls the mock in a browser.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::control::error::ControlError;
use crate::engine::{Reply, Request};

static PAGE: &str = include_str!("page.html");

/// Allows only the script and the style of the page, and requests to this server.
static CONTENT_SECURITY_POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash_of("script"),
        hash_of("style")
    )
});

pub(in crate::control) fn is_for(path: &str) -> bool {
    matches!(path, "/" | "/_mock" | "/_mock/")
}

/// Returns the page. It contains no data, so it requires no control token.
pub(in crate::control) fn show(request: &Request) -> Result<Reply, ControlError> {
    if !matches!(&*request.method, "GET" | "HEAD") {
        let allowed = &["GET", "HEAD"];
        return Err(ControlError::method_not_allowed(&request.method, allowed));
    }
    let reply = Reply::with_body("text/html; charset=utf-8", 200, PAGE);
    Ok(reply
        .with_header("cache-control", "no-cache")
        .with_header("content-security-policy", CONTENT_SECURITY_POLICY.as_str()))
}

/// Returns the hash of an element's content, as a source expression.
fn hash_of(element: &str) -> String {
    let (start, end) = (format!("<{element}>"), format!("</{element}>"));
    let content = PAGE
        .split_once(&start)
        .and_then(|(_, rest)| rest.split_once(&end));
    let (content, _) = content.expect("the page contains the element");
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content)))
}
