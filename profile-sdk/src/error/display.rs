//! The `Display` and `Debug` output of errors.

use std::borrow::Cow;
use std::fmt;

use url::Url;

use crate::decode::start_of;
use crate::error::{Again, Error, ErrorKind};
use crate::request::Operation;
use crate::text::shorten;
use crate::values::url_parameters::segment;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.description().fmt(f)?;
        if self.may_have_been_applied() {
            f.write_str("; the change may have been applied")?;
        }
        Ok(())
    }
}

impl Error {
    /// Returns the text of this error without that the change may have been applied, for programs that report
    /// the outcome themselves.
    #[must_use]
    pub fn description(&self) -> impl fmt::Display + '_ {
        Description(self)
    }
}

struct Description<'a>(&'a Error);

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        if let Some(operation) = error.operation() {
            write!(f, "{} {}: ", operation.method(), path(error, operation))?;
        }
        f.write_str(&summary(error))?;
        if let Some(message) = error.message() {
            write!(f, ": {message}")?;
        }
        if let Some(code) = error.code() {
            write!(f, " ({code})")?;
        }
        if let Some(id) = error.request_id() {
            write!(f, " [request {}]", shorten(id))?;
        }
        if !error.inner.coding_error.is_empty() {
            write!(f, "; {}", error.inner.coding_error)?;
        }
        if let Some(wait) = error.retry_after() {
            let seconds = wait.as_secs_f64().ceil();
            let unit = if seconds == 1.0 { "second" } else { "seconds" };
            write!(f, "; retry after {seconds} {unit}")?;
        }
        let tries = error.inner.summary.tries;
        if tries > 1 {
            let seconds = error.elapsed().as_secs_f64();
            write!(f, "; tried {tries} times in {seconds:.1} seconds")?;
        }
        if error.inner.again == Again::NowWithoutBudget {
            f.write_str("; not retried, because the client has no retry budget left")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("display", &format_args!("{self}"))
            .field(
                "body",
                &format_args!("{} of {} bytes", start_of(self.body()), self.body().len()),
            )
            .finish()
    }
}

/// Returns the path with the handle or ID instead of the parameter.
fn path<'a>(error: &Error, operation: &'a Operation) -> Cow<'a, str> {
    let template = operation.path_template();
    let (Some(resource), Some((before, rest))) = (error.resource(), template.split_once('{'))
    else {
        return Cow::Borrowed(template);
    };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    let resource = segment(resource).to_string();
    Cow::Owned(format!("{before}{}{after}", shorten(&resource)))
}

/// Returns the message without the parts that come from the service.
fn summary(error: &Error) -> String {
    let reason = error.inner.reason.clone();
    let text = match error.kind() {
        ErrorKind::Redirected => {
            // Without the parts that may be secret: user name, password, path and query. A relative URL may
            // name another host, as `//host/path` does.
            let target = error
                .header("location")
                .and_then(|url| Url::parse(url).ok());
            let target = target.map(|url| url.origin().ascii_serialization());
            let target = target.map_or_else(String::new, |host| format!(" to {}", shorten(&host)));
            format!(
                "the service redirects{target}; redirects are not followed, to keep the key from other \
                 hosts; check the base URL"
            )
        }
        ErrorKind::Unauthorized => match error.scope() {
            Some(scope) => {
                format!("the service rejected the key; this call requires the scope {scope}")
            }
            None => "the service rejected the key".to_owned(),
        },
        ErrorKind::Forbidden => match (error.missing_scope(), error.scope()) {
            (Some(scope), _) => format!("the key lacks the scope {scope}"),
            (None, Some(scope)) => {
                format!("the service does not permit this call, which requires the scope {scope}")
            }
            (None, None) => "the key has no permission for this call".to_owned(),
        },
        ErrorKind::NotFound => "not found".to_owned(),
        ErrorKind::RateLimited if error.status().is_some() => "rate limit exceeded".to_owned(),
        ErrorKind::Timeout if error.status() == Some(408) => "the service timed out".to_owned(),
        ErrorKind::Rejected if reason.is_empty() => "the service rejected the request".to_owned(),
        ErrorKind::Service if reason.is_empty() => "the service failed".to_owned(),
        ErrorKind::Rejected | ErrorKind::Service => reason,
        ErrorKind::Canceled if error.attempts() == 0 => {
            return format!("{reason}, so nothing was sent");
        }
        ErrorKind::Invalid
        | ErrorKind::KeyMissing
        | ErrorKind::Connection
        | ErrorKind::Timeout
        | ErrorKind::ResponseLost
        | ErrorKind::RateLimited
        | ErrorKind::TooLarge
        | ErrorKind::Unreadable
        | ErrorKind::Canceled => return reason,
    };
    format!("{}: {text}", error.status().unwrap_or_default())
}
