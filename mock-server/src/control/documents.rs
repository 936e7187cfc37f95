//! The OpenAPI documents and the page.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::ControlError;
use crate::engine::{Reply, Request};

/// The path of the service's document, which is also served at the root.
pub(super) const SERVICE: &str = "/openapi.json";

pub(super) fn show(document: &str) -> Result<Reply, ControlError> {
    Ok(Reply::with_body("application/json", 200, document))
}

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

pub(super) fn is_page(path: &str) -> bool {
    matches!(path, "/" | "/_mock" | "/_mock/")
}

/// Returns the page. It contains no data, so it requires no control token.
pub(super) fn show_page(request: &Request) -> Result<Reply, ControlError> {
    if !matches!(&*request.method, "GET" | "HEAD") {
        let allowed = &["GET", "HEAD"];
        return Err(ControlError::method_not_allowed(&request.method, allowed));
    }
    let reply = Reply::with_body("text/html; charset=utf-8", 200, PAGE);
    Ok(reply.with_header("content-security-policy", CONTENT_SECURITY_POLICY.as_str()))
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

/// Returns the OpenAPI 3.1 document of the service as JSON: its endpoints, limits and scopes, and the
/// responses of the default dialect.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(mock_server::openapi_json())?;
/// assert_eq!(document["openapi"], "3.1.0");
/// assert!(document["paths"]["/api/v1/me"]["get"].is_object());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn openapi_json() -> &'static str {
    include_str!("../../openapi.json")
}

/// The OpenAPI 3.1 document of the control API.
pub(super) const CONTROL: &str = include_str!("../../control-openapi.json");
