//! Errors of establishing a connection. They name the host that failed: the service or the proxy.

use super::tls::permanent_tls_error;
use crate::error::kind::{causes, root_cause};
use crate::error::{Error, ErrorKind};
use crate::text::one_line;

/// Converts an error of connecting to the service, through the proxy with this origin if there is one.
pub(super) fn connect_error(error: &reqwest::Error, proxy: Option<&str>) -> Error {
    let url = error.url();
    let service = url.map_or_else(String::new, |url| url.origin().ascii_serialization());
    let is_tunneled = url.is_some_and(|url| url.scheme() == "https");
    // The HTTP client does not export the type of this error.
    let tunnel_error = causes(error)
        .map(ToString::to_string)
        .find(|cause| cause.starts_with("tunnel error: "));
    let (failure, peer) = match (proxy, tunnel_error) {
        (Some(proxy), Some(error)) if !error.ends_with("underlying connection") => {
            let failure = format!("the proxy {proxy} did not open a tunnel to {service}");
            (failure, "proxy")
        }
        (Some(proxy), None) if is_tunneled => {
            let failure = format!("could not connect to {service} through the proxy {proxy}");
            (failure, "service")
        }
        (Some(proxy), _) => (format!("could not connect to the proxy {proxy}"), "proxy"),
        (None, _) => (format!("could not connect to {service}"), "service"),
    };
    let tls_error = permanent_tls_error(error);
    let is_tls_error = tls_error.is_some();
    let cause = one_line(&tls_error.unwrap_or_else(|| root_cause(error)));
    let (advice, is_permanent) = advice(&cause);
    let url = match peer {
        "proxy" => "the URL of the proxy",
        _ => "the base URL",
    };
    let advice = advice.replace("{peer}", peer).replace("{url}", url);
    let reason = format!("{failure}, so nothing was sent: {cause}{advice}");
    Error::unsent(ErrorKind::Connection, reason).permanent(is_tls_error || is_permanent)
}

/// Returns advice for a failed connection, and `true` if it would fail again. Proxies and some TLS
/// implementations report the cause only in the text of the error.
fn advice(cause: &str) -> (&'static str, bool) {
    let contains = |texts: &str| texts.split('|').any(|text| cause.contains(text));
    if contains("InvalidContentType|wrong version number|packet length too long") {
        (
            "; the {peer} does not support HTTPS on this port; check {url}",
            true,
        )
    } else if contains("UnknownIssuer|certificate verify failed") {
        let advice = "; if a private authority issued the {peer}'s certificate, trust the root \
                      certificate of that authority";
        (advice, true)
    } else if contains("CaUsedAsEndEntity") {
        let advice = "; the {peer} uses the certificate of an authority as its own; create one with the \
                      extension basicConstraints=critical,CA:FALSE";
        (advice, true)
    } else if contains("proxy authorization required") {
        (
            "; check the user name and password in the URL of the proxy",
            true,
        )
    } else if contains("tunnel error: unsuccessful") {
        ("; it may reject this host, or be unable to reach it", false)
    } else {
        ("", false)
    }
}
