//! Attempts to send deliveries: what they mean, and what to do about a failure.

use std::error::Error as _;
use std::iter::successors;
use std::time::Duration;

use profile_sdk::internal::tls_advice;

use crate::outcome::{Failure, FailureKind, NextCommand};
use crate::terminal::SafeUrl;

pub(super) const SECRET_HINT: &str = "the receiver must use the same secret and encoding";

/// The size of the largest genuine delivery of `probe`.
pub(super) const LARGE_BYTES: usize = 1_000_000;

/// An attempt to send a delivery.
pub(super) struct Attempt {
    /// The status code of the response, or the reason for its absence.
    pub(super) response: Result<u16, String>,
    /// What to do if there is none.
    pub(super) hint: Option<String>,
    /// The URL in the response to which it redirects.
    pub(super) location: Option<SafeUrl>,
    /// The response has the header `WWW-Authenticate`.
    pub(super) wants_login: bool,
    pub(super) duration: Duration,
}

impl Attempt {
    pub(super) fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }

    /// Returns the failure of deliveries without a response.
    pub(super) fn no_response(&self, message: String) -> Failure {
        Failure::new(FailureKind::NoResponse, message).optional_hint(self.hint.clone())
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
            401 | 403 => return self.with_other_cause(SECRET_HINT),
            404 | 410 => "the receiver does not know the path; check the path of the URL",
            405 => "the path does not accept POST; check the path of the URL",
            413 => {
                return Some(format!(
                    "a limit on the size of bodies answered; raise it to at least {LARGE_BYTES} bytes"
                ));
            }
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

    /// Returns advice about a failed delivery that was signed with the secret.
    pub(super) fn failure_advice(&self) -> Option<String> {
        match self.response {
            Ok(400 | 401 | 403) => {
                let advice = self.with_other_cause(UNVERIFIED);
                advice.or_else(|| Some(UNVERIFIED.to_owned()))
            }
            _ => self.advice().or_else(|| self.hint.clone()),
        }
    }

    /// Adds the cause of a 401 or 403 that does not come from the verification, if there may be one.
    fn with_other_cause(&self, hint: &str) -> Option<String> {
        let cause = match self.response {
            Ok(401) if self.wants_login => "authentication in front of the receiver",
            Ok(403) => "CSRF protection",
            _ => return None,
        };
        Some(format!(
            "{hint}; or {cause} answered, which must exclude the path"
        ))
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
    causes
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the reason why there is no response, and advice. The proxy is the one that was used.
pub(super) fn explain(
    error: &reqwest::Error,
    url: &SafeUrl,
    proxy: Option<&SafeUrl>,
) -> (String, Option<String>) {
    if error.is_timeout() && !error.is_connect() {
        return ("timed out".to_owned(), None);
    }
    let failed = match error.is_connect() {
        true => "cannot connect",
        false => "no response",
    };
    let through = proxy.filter(|_| error.is_connect());
    let through = through.map_or_else(String::new, |proxy| format!(" through the proxy {proxy}"));
    let reason = format!("{failed}{through}: {}", root_cause(error));
    // The HTTP client does not export the types of these errors.
    let has_cause = |start| {
        let mut causes = successors(error.source(), |error| (*error).source());
        causes.any(|cause| cause.to_string().starts_with(start))
    };
    let is_tunnel = has_cause("tunnel error: ");
    let is_plain = url.parsed().is_some_and(|url| url.scheme() == "http");
    let peer = match proxy {
        Some(_) if is_tunnel || is_plain => "proxy",
        _ => "receiver",
    };
    let hint = tls_advice(error, peer).or_else(|| match proxy {
        _ if !error.is_connect() => None,
        Some(_) => {
            let list = NextCommand("profile config list");
            Some(format!("check the proxy, which {list} shows"))
        }
        None if has_cause("dns error") => Some(format!("check the name of the host in {url}")),
        None => Some(format!("check that a receiver listens at {url}")),
    });
    (reason, hint)
}

/// Hint for a receiver that rejects a delivery.
const UNVERIFIED: &str = "the receiver may use another secret, or verify a parsed body instead of the raw \
                          bytes; `profile webhook probe` tests it";

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
    let advice = answered.and_then(|attempt| attempt.failure_advice());
    let failure = Failure::other(message).optional_hint(advice);
    Some(Failure { status, ..failure })
}
