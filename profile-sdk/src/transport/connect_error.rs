//! Errors of establishing a connection. They name the host that failed: the service or the proxy.

use super::tls_problem::TlsProblem;
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
    let problem = TlsProblem::find(error);
    let (advice, is_permanent) = match (&problem, tunnel_error) {
        (Some(problem), _) => (problem.advice(peer), *problem != TlsProblem::PeerFailed),
        (None, Some("proxy authorization required")) => {
            let advice = "; check the user name and password in the URL of the proxy";
            (advice.to_owned(), true)
        }
        (None, Some("unsuccessful")) => {
            let advice = "; it may reject this host, or be unable to reach it";
            (advice.to_owned(), false)
        }
        (None, _) => (String::new(), false),
    };
    let cause = problem.map_or_else(|| root_cause(error), |problem| problem.to_string());
    let cause = one_line(&cause);
    let reason = format!("{failure}, so nothing was sent: {cause}{advice}");
    Error::unsent(ErrorKind::Connection, reason).permanent(is_permanent)
}
