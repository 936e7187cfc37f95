//! The proxy of a client.

use url::Url;

use crate::values::InvalidValue;

/// Parses the URL of an HTTP or HTTPS proxy, such as `http://host:port` or
/// `https://user:password@host:port`. It may contain a password, so errors do not show it.
pub(crate) fn parse(text: &str) -> Result<Url, InvalidValue> {
    let expected = "expected one such as http://host:3128";
    let reject = |reason: String| Err(InvalidValue::new("proxy", reason));
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) if text.contains("://") => {
            reject(format!("has the scheme {}; {expected}", url.scheme()))
        }
        _ => reject(format!("is not a valid URL; {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn errors_do_not_show_the_password() {
        for (text, reason) in [
            ("host:3128", "is not a valid URL"),
            ("ada:hush@host:3128", "is not a valid URL"),
            ("http://ada:hush@host:port", "is not a valid URL"),
            ("socks5://ada:hush@host", "has the scheme socks5"),
        ] {
            let message = parse(text).err().unwrap().to_string();
            let expected = format!("proxy {reason}; expected one such as http://host:3128");
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn accepts_http_and_https_proxies() {
        for url in [
            "http://host",
            "https://host:1/x?y",
            "http://ada:hu%2Fsh@[::1]:3128",
        ] {
            assert!(reqwest::Proxy::all(parse(url).unwrap()).is_ok());
        }
    }
}
