//! Errors of establishing a connection. They name the host that failed: the service or the proxy.

use super::tls_advice::{is_permanent, tls_advice};
use crate::error::{Error, ErrorKind, causes, root_cause};
use crate::text::one_line;

/// Converts an error of connecting to the service, through the proxy with this origin if there is one.
pub(super) fn connect_error(error: &reqwest::Error, proxy: Option<&str>) -> Error {
    let url = error.url();
    let service = url.map_or_else(String::new, |url| url.origin().ascii_serialization());
    let is_tunneled = url.is_some_and(|url| url.scheme() == "https");
    // The HTTP client does not export the type of this error.
    let tunnel_error = causes(error).find_map(|cause| {
        let cause = cause.to_string();
        cause.strip_prefix("tunnel error: ").map(str::to_owned)
    });
    let tunnel_error = tunnel_error.as_deref();
    let (failure, peer) = match (proxy, tunnel_error) {
        (Some(proxy), Some(error)) if error != "failed to create underlying connection" => {
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
    let advice = match tunnel_error {
        Some("proxy authorization required") => {
            Some("check the user name and password in the URL of the proxy".to_owned())
        }
        Some("unsuccessful") => {
            Some("it may reject this host, or be unable to reach it".to_owned())
        }
        _ => tls_advice(error, peer),
    };
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    let cause = one_line(&root_cause(error));
    let reason = format!("{failure}, so nothing was sent: {cause}{advice}");
    let is_permanent = tunnel_error == Some("proxy authorization required") || is_permanent(error);
    Error::unsent(ErrorKind::Connection, reason).permanent(is_permanent)
}
