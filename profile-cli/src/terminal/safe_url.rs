//! URLs in output, without the user names and passwords that they may contain.

use std::fmt;

use url::{Host, Position, Url};

/// A URL that the user gave. `Display` and `Debug` hide what may be secret: the user, all before an `@` in the path, and
/// the query. The host is shown, since keys and deliveries are sent there.
#[derive(Clone)]
pub(crate) struct SafeUrl {
    text: String,
    /// The parsed text, if it names a host.
    url: Option<Url>,
}

impl SafeUrl {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let url = Url::parse(&text).ok().filter(Url::has_host);
        Self { text, url }
    }

    /// Returns the real text, to send something to it, to store or to compare it.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// Returns the parsed URL for the same uses, if it is valid and names a host.
    pub(crate) fn parsed(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Returns `true` if the URL names a loopback address.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.url.as_ref().and_then(Url::host) {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        }
    }

    /// Returns `true` if both are the base URL of one service, apart from the spelling.
    pub(crate) fn is_same_service(&self, other: &Self) -> bool {
        let normalized = |one: &Self| {
            let text = one.url.as_ref().map_or(&*one.text, Url::as_str);
            text.trim_end_matches('/').to_owned()
        };
        normalized(self) == normalized(other)
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &*self.text;
        let query = text.find(['?', '#']);
        let (Some(url), true) = (&self.url, query.is_some() || after_user(text).is_some()) else {
            // The `@` may be in the query, and the question mark in a password.
            return match (query, after_user(text)) {
                (Some(query), Some((before, _))) if query < before.len() => f.write_str("***"),
                _ => f.write_str(&hide_user(&text[..query.unwrap_or(text.len())])),
            };
        };
        let has_user = !url[Position::BeforeUsername..Position::BeforeHost].is_empty();
        let user = if has_user { "***@" } else { "" };
        let host = &url[Position::BeforeHost..Position::BeforePath];
        write!(f, "{}{user}{host}", &url[..Position::BeforeUsername])?;
        let path = &url[Position::BeforePath..Position::AfterPath];
        match after_user(path) {
            Some((_, rest)) => write!(f, "/***@{rest}"),
            None if text.ends_with(host) => Ok(()),
            None => f.write_str(path),
        }
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns `true` if an argument, which may be any text, has the user of a URL, or a query.
pub(crate) fn may_be_secret_url(text: &str) -> bool {
    let is_path = text.starts_with('.') || (text.starts_with('/') && !text.starts_with("//"));
    let has_user = after_user(text).is_some_and(|(before, _)| before.contains(':'));
    let query = text
        .split_once('?')
        .is_some_and(|(_, query)| query.contains('='));
    text.contains("://") || query || (has_user && !is_path)
}

/// Splits a text at the last `@`.
fn after_user(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('@').or_else(|| text.rsplit_once("%40"))
}

/// Hides everything before the last `@` of a text that may be a URL, except for the scheme.
fn hide_user(text: &str) -> String {
    let Some((before, host)) = after_user(text) else {
        return text.to_owned();
    };
    let scheme = ["http://", "https://"].into_iter().find(|scheme| {
        let start = before.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    format!("{}***@{host}", scheme.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::SafeUrl;
    use crate::terminal::{argument, escaped};

    /// The table of texts with URLs that the tests of all programs read.
    const TABLE: &str = include_str!("../../../mock-server/tests/shared/urls.tsv");

    #[test]
    fn hides_what_may_be_secret() {
        for row in TABLE.lines().filter(|row| !row.starts_with('#')) {
            let [text, shown, as_argument, _] = row.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            let url = SafeUrl::new(text);
            assert_eq!(url.to_string(), shown, "{text}");
            assert_eq!(format!("{url:?}"), shown, "{text}");
            assert_eq!(url.expose(), text);
            assert_eq!(escaped(text), as_argument, "{text}");
            assert_eq!(argument(text.as_bytes()), as_argument, "{text}");
        }
    }
}
