//! A client as the environment describes it. Nothing else in this crate reads the environment.

use std::env::{self, VarError};

use crate::base_url::BaseUrl;
use crate::{ApiKey, Client, ClientBuilder, Error, ErrorKind, InvalidValue};

const BASE_URL: &str = "PROFILE_BASE_URL";
const API_KEY: &str = "PROFILE_API_KEY";

impl Client {
    /// Makes a client of the service at `PROFILE_BASE_URL`, with the key in `PROFILE_API_KEY` if it
    /// is set, and with the default of every other setting. A variable that is empty counts as not
    /// set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when `PROFILE_BASE_URL` is not set, or when one of the two cannot be
    /// used; the message names the variable. See also [`ClientBuilder::build`].
    ///
    /// ```
    /// use profile_sdk::Client;
    ///
    /// match Client::from_env() {
    ///     Ok(client) => println!("{client:?}"),
    ///     Err(error) => assert!(error.to_string().starts_with("PROFILE_")),
    /// }
    /// ```
    pub fn from_env() -> Result<Self, Error> {
        described_by(|name| env::var(name))?.build()
    }
}

fn described_by(
    variable: impl Fn(&str) -> Result<String, VarError>,
) -> Result<ClientBuilder, Error> {
    let Some(base_url) = read(&variable, BASE_URL)? else {
        let expected = "is not set; expected where the service is, such as https://host";
        return Err(refused(BASE_URL, expected));
    };
    let unusable = |name| {
        move |invalid: InvalidValue| Error::new(ErrorKind::Invalid, format!("{name}: {invalid}"))
    };
    BaseUrl::parse(&base_url, false).map_err(unusable(BASE_URL))?;
    let mut builder = Client::builder().base_url(base_url);
    if let Some(key) = read(&variable, API_KEY)? {
        builder = builder.api_key(ApiKey::new(key).map_err(unusable(API_KEY))?);
    }
    Ok(builder)
}

fn read(
    variable: impl Fn(&str) -> Result<String, VarError>,
    name: &str,
) -> Result<Option<String>, Error> {
    match variable(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(refused(name, "is not UTF-8 text")),
    }
}

fn refused(name: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{name} {reason}"))
}

#[cfg(test)]
mod tests {
    use std::env::VarError;

    use super::described_by;

    fn refusal(variables: &[(&str, &str)]) -> String {
        let described = described_by(|name| lookup(variables, name));
        described.unwrap_err().to_string()
    }

    fn lookup(variables: &[(&str, &str)], name: &str) -> Result<String, VarError> {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found
            .map(|(_, value)| (*value).to_owned())
            .ok_or(VarError::NotPresent)
    }

    #[test]
    fn the_key_may_be_missing() {
        let url = ("PROFILE_BASE_URL", "https://host");
        for variables in [
            &[url][..],
            &[url, ("PROFILE_API_KEY", "")],
            &[url, ("PROFILE_API_KEY", "key\n")],
        ] {
            let described = described_by(|name| lookup(variables, name));
            assert!(described.is_ok(), "{variables:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_variable_and_never_the_key() {
        for variables in [&[][..], &[("PROFILE_BASE_URL", "")]] {
            assert_eq!(
                refusal(variables),
                "PROFILE_BASE_URL is not set; expected where the service is, such as https://host"
            );
        }
        assert_eq!(
            refusal(&[("PROFILE_BASE_URL", "ftp://host")]),
            "PROFILE_BASE_URL: base URL has the scheme ftp; expected https or http, as in https://host"
        );
        assert_eq!(
            refusal(&[
                ("PROFILE_BASE_URL", "https://host"),
                ("PROFILE_API_KEY", "hush hush")
            ]),
            "PROFILE_API_KEY: API key has white space or a control character at position 5; \
             expected visible ASCII only"
        );
        let not_text = |_: &str| Err(VarError::NotUnicode("x".into()));
        let refused = described_by(not_text).unwrap_err();
        assert_eq!(refused.to_string(), "PROFILE_BASE_URL is not UTF-8 text");
    }
}
