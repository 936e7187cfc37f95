//! URLs in output, without the user names and passwords that they may contain.

use std::fmt;

use url::{Host, Position, Url};

/// A URL that the user gave. `Display` and `Debug` hide what may be secret.
#[derive(Clone)]
pub(crate) struct SafeUrl {
    role: UrlRole,
    text: String,
    /// The parsed text, if it names a host.
    url: Option<Url>,
}

/// The role of a URL, which decides what is shown of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlRole {
    /// The base URL of the service. Its host is always shown, since the key is sent there.
    Base,
    Proxy,
    /// The URL of a receiver of webhooks, whose query may be secret.
    Receiver,
}

impl SafeUrl {
    pub(crate) fn new(role: UrlRole, text: impl Into<String>) -> Self {
        let text = text.into();
        let url = Url::parse(&text).ok().filter(Url::has_host);
        Self { role, text, url }
    }

    pub(crate) fn base(text: impl Into<String>) -> Self {
        Self::new(UrlRole::Base, text)
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
        match (self.role, &self.url) {
            (UrlRole::Base, Some(url)) if text.contains('@') => {
                let start = &url[..Position::BeforeUsername];
                let has_user = !url[Position::BeforeUsername..Position::BeforeHost].is_empty();
                let user = if has_user { "***@" } else { "" };
                let host = &url[Position::BeforeHost..Position::BeforePath];
                write!(f, "{start}{user}{host}")?;
                match url[Position::BeforePath..].rsplit_once('@') {
                    Some((_, rest)) => write!(f, "/***@{rest}"),
                    None if text.ends_with(host) => Ok(()),
                    None => f.write_str(&url[Position::BeforePath..]),
                }
            }
            (UrlRole::Base, Some(_)) => f.write_str(text),
            (UrlRole::Receiver, Some(url)) if matches!(url.scheme(), "http" | "https") => {
                f.write_str(&url[..Position::BeforeUsername])?;
                f.write_str(&url[Position::BeforeHost..Position::AfterPath])
            }
            (UrlRole::Receiver, _) => match (text.find(['?', '#']), text.rfind('@')) {
                // The `@` may be in the query, and the question mark in a password.
                (Some(query), Some(at)) if query < at => f.write_str("***"),
                (query, _) => f.write_str(&hide_user(&text[..query.unwrap_or(text.len())])),
            },
            (UrlRole::Base | UrlRole::Proxy, _) => f.write_str(&hide_user(text)),
        }
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hides everything before the last `@` of a text that may be a URL, except for the scheme.
pub(crate) fn hide_user(text: &str) -> String {
    let split = text.rsplit_once('@').or_else(|| text.rsplit_once("%40"));
    let Some((before, host)) = split else {
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
    use super::{SafeUrl, UrlRole};

    #[test]
    fn hides_what_may_be_secret() {
        use UrlRole::{Base, Proxy, Receiver};
        for (role, text, shown) in [
            (Base, "https://Host:443/x/", "https://Host:443/x/"),
            (Base, "http://ada:hush@host", "http://***@host"),
            (Base, "http:/ada:hush@host/", "http://***@host/"),
            (Base, "http://ada:hu#sh@host:1", "http://***@host:1"),
            (Base, "https://ada:80/hush@host", "https://ada:80/***@host"),
            (Base, "https://ada:hush%40host", "https://***@host"),
            (Base, "ada:hush@host", "***@host"),
            (Base, "ada:hu://sh@host", "***@host"),
            (Proxy, "http://host:3128", "http://host:3128"),
            (Proxy, "HTTP://ada:80/hu@sh@host:1", "http://***@host:1"),
            (Proxy, "socks5://ada:hush@host", "***@host"),
            (
                Receiver,
                "http://ada:hush@host/@x?token=hush",
                "http://host/@x",
            ),
            (
                Receiver,
                "http://host:port/?token=hush",
                "http://host:port/",
            ),
            (Receiver, "http://host:port/?token=hu@sh", "***"),
            (Receiver, "ftp://ada:hush@host/x?token=hush", "***@host/x"),
            (Receiver, "http://ada:hu#sh@host:1", "***"),
        ] {
            let url = SafeUrl::new(role, text);
            assert_eq!(url.to_string(), shown, "{text}");
            assert_eq!(format!("{url:?}"), shown, "{text}");
            assert_eq!(url.expose(), text);
        }
    }
}
