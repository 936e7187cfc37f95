//! What an error says, in one line and to `Debug`.

use std::error::Error as _;
use std::fmt;

use url::Url;

use crate::{Error, ErrorKind};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.operation() {
            write!(f, "{operation}: ")?;
        }
        f.write_str(&summary(self))?;
        if let Some(message) = self.message() {
            write!(f, ": {message}")?;
        }
        if let Some(code) = self.code() {
            write!(f, " ({code})")?;
        }
        if let Some(id) = self.request_id() {
            write!(f, " [request {id}]")?;
        }
        if let Some(wait) = self.retry_after() {
            write!(f, "; come back in {} seconds", wait.as_secs_f64().ceil())?;
        }
        if self.attempts() > 1 {
            let seconds = self.elapsed().as_secs_f64();
            write!(
                f,
                "; tried {} times in {seconds:.1} seconds",
                self.attempts()
            )?;
        }
        if self.may_have_been_applied() {
            f.write_str("; the change may have been made all the same")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("display", &format_args!("{self}"))
            .field("body", &start_of_body(self.body()))
            .field("source", &self.source())
            .finish()
    }
}

/// What happened and what to do, without what the service said.
fn summary(error: &Error) -> String {
    let status = error.status().unwrap_or_default();
    match error.kind() {
        ErrorKind::Redirected => {
            let target = error.header("location").map_or_else(String::new, origin);
            format!(
                "{status}: the service points elsewhere{target}; redirects are not followed, \
                 so that the key stays with the configured host: check the base URL"
            )
        }
        ErrorKind::Unauthorized => match error.scope() {
            Some(scope) => format!(
                "{status}: the service does not take the key for this call, \
                 which needs the scope {scope}"
            ),
            None => format!("{status}: the service does not take the key"),
        },
        ErrorKind::Forbidden => match error.scope() {
            Some(scope) => format!("{status}: the key lacks the scope {scope}"),
            None => format!("{status}: the key may not do this"),
        },
        ErrorKind::NotFound => format!("{status}: the service does not know it"),
        ErrorKind::RateLimited if error.status().is_some() => {
            format!("{status}: the key's rate limit is used up")
        }
        ErrorKind::Rejected => format!("{status}: the service refuses the request"),
        ErrorKind::Service => format!("{status}: the service failed"),
        _ => error.reason().to_owned(),
    }
}

/// Where a redirect leads, without what may be secret: user name, password, path and query.
fn origin(location: &str) -> String {
    match Url::parse(location) {
        Ok(url) => format!(", to {}", url.origin().ascii_serialization()),
        Err(_) => ", on the same host".to_owned(),
    }
}

/// What `main` or `unwrap` print of a body, which may be a whole page.
fn start_of_body(body: &[u8]) -> String {
    const SHOWN: usize = 200;
    let text = String::from_utf8_lossy(body);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… of {} bytes", &text[..end], body.len()),
        None => text.into_owned(),
    }
}
