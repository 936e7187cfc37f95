//! Attempts to send deliveries: what they mean, and what to do about a failure.

use std::env;
use std::error::Error as _;
use std::iter::successors;
use std::time::Duration;

use url::{Host, Url};

use crate::outcome::failure::{Failure, FailureKind};
use crate::terminal::safe_url::SafeUrl;

/// An attempt to send a delivery.
pub(super) struct Attempt {
    /// The status code of the response, or the reason for its absence.
    pub(super) response: Result<u16, String>,
    /// What to do if there is none.
    pub(super) hint: Option<String>,
    /// The URL in the response to which it redirects.
    pub(super) location: Option<SafeUrl>,
    pub(super) duration: Duration,
}

impl Attempt {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }

    /// Returns the failure of deliveries without a response.
    pub(super) fn no_response(&self, message: String) -> Failure {
        Failure {
            hints: self.hint.clone().into_iter().collect(),
            ..Failure::new(FailureKind::NoResponse, message)
        }
    }

    /// Returns advice for a status code that does not come from the verification.
    pub(super) fn advice(&self) -> Option<String> {
        let advice = match self.response.as_ref().ok()? {
            300..=399 => {
                let to = self.location.as_ref().map(SafeUrl::to_string);
                let to = to.as_deref().unwrap_or("another URL");
                return Some(format!(
                    "the receiver redirects to {to}, and redirects are not followed; use that URL \
                     if it is the receiver's"
                ));
            }
            403 => {
                "the receiver must use the same secret and encoding; or CSRF protection answered, which \
                 must exclude the path"
            }
            404 | 410 => "the receiver does not know the path; check the path of the URL",
            405 => "the path does not accept POST; check the path of the URL",
            413 => "a limit on the size of bodies answered; raise it to at least 1 MiB",
            406 | 415 => "the receiver rejects the content type; it must accept every one",
            419 | 422 => {
                "CSRF protection or a validation answered instead of the verification; exclude the \
                 path from it"
            }
            408 | 429 => "a limit of the receiver or of a proxy answered; try again later",
            500..=599 => {
                "the receiver, or a proxy before it, failed; its log may contain the reason"
            }
            _ => return None,
        };
        Some(advice.to_owned())
    }

    /// Describes the result for people.
    pub(super) fn as_text(&self) -> String {
        let milliseconds = self.duration.as_millis();
        match &self.response {
            Ok(status) => format!("{status} in {milliseconds} ms"),
            Err(reason) => format!("{reason} after {milliseconds} ms"),
        }
    }
}

/// Returns the message of the root cause, which is the most specific.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    let causes = successors(error.source(), |error| (*error).source());
    let root = causes.last();
    root.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the reason why there is no response, and advice. The proxy is the one that was used.
pub(super) fn explain(
    error: &reqwest::Error,
    url: &SafeUrl,
    proxy: Option<&SafeUrl>,
) -> (String, Option<String>) {
    let cause = root_cause(error);
    // The names of problems are those of rustls.
    if let Some(problem) = cause.strip_prefix("invalid peer certificate: ")
        && !error.is_timeout()
    {
        return (certificate_problem(problem, url), None);
    }
    match (error.is_connect(), proxy) {
        _ if error.is_timeout() => ("timed out".to_owned(), None),
        (true, _) if cause.contains("InvalidContentType") => {
            let reason = "cannot connect: the receiver does not support HTTPS on this port";
            (reason.to_owned(), None)
        }
        (true, _) if cause.contains("fatal alert") => (format!("cannot connect: {cause}"), None),
        (true, Some(proxy)) => (
            format!("cannot connect through the proxy {proxy}: {cause}"),
            Some("check the proxy, which `profile config list` shows".to_owned()),
        ),
        (true, None) => (
            format!("cannot connect: {cause}"),
            Some(format!("check that a receiver listens at {url}")),
        ),
        (false, _) => (format!("no response: {cause}"), None),
    }
}

fn certificate_problem(problem: &str, url: &SafeUrl) -> String {
    if problem.contains("CaUsedAsEndEntity") {
        let name = match url.parsed().and_then(Url::host) {
            Some(Host::Domain(name)) => format!("DNS:{name}"),
            Some(Host::Ipv4(address)) => format!("IP:{address}"),
            Some(Host::Ipv6(address)) => format!("IP:{address}"),
            None => String::new(),
        };
        return format!(
            "the receiver's certificate is not trusted, because it is its own authority; create one \
             that is not with `openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out \
             cert.pem -subj /CN=localhost -addext basicConstraints=critical,CA:FALSE -addext \
             subjectAltName={name}`, and set SSL_CERT_FILE to cert.pem"
        );
    }
    if problem.contains("UnknownIssuer") {
        let file = env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty());
        let file = file.map(|path| format!(", not {}", path.display()));
        return format!(
            "the receiver's certificate is not trusted; set SSL_CERT_FILE to a file with it or its \
             authority{}",
            file.unwrap_or_default()
        );
    }
    // Without the names of types and the values of fields.
    let problem = problem.replace("DnsName(\"", "\"").replace("\")", "\"");
    let problem = problem.trim_start_matches("Other(OtherError(");
    let problem = problem
        .split([' ', ')'])
        .next()
        .filter(|_| problem.contains(" {"))
        .unwrap_or(problem);
    format!(
        "the receiver's certificate is invalid: {}",
        problem.trim_end_matches(')')
    )
}

const UNVERIFIED: &str = "the receiver may use another secret, or verify a parsed body instead of the \
     raw bytes; `profile webhook probe` tests it";

/// Returns the failure that summarizes the failed deliveries, if any.
pub(super) fn failure(attempts: &[Attempt]) -> Option<Failure> {
    let failed = attempts.iter().filter(|attempt| !attempt.is_success());
    let failed: Vec<_> = failed.collect();
    let first = match &failed.first()?.response {
        Ok(status) => format!("the receiver returned status {status}, expected 2xx"),
        Err(reason) => reason.clone(),
    };
    let count = failed.len();
    let message = match attempts.len() {
        1 => format!("the delivery failed: {first}"),
        total => format!("{count} of {total} deliveries failed; the first: {first}"),
    };
    if attempts.iter().all(|attempt| attempt.response.is_err()) {
        return Some(failed[0].no_response(message));
    }
    let answered = failed.iter().find(|attempt| attempt.response.is_ok());
    let status = answered.and_then(|attempt| attempt.response.as_ref().ok().copied());
    let advice = match status {
        Some(401) => Some(UNVERIFIED.to_owned()),
        Some(403) => Some(format!(
            "{UNVERIFIED}; or CSRF protection answered, which must exclude the path"
        )),
        _ => answered.and_then(|attempt| attempt.advice()),
    };
    Some(Failure {
        status,
        hints: advice.into_iter().collect(),
        ..Failure::new(FailureKind::Other, message)
    })
}
