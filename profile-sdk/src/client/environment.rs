//! Configuration from environment variables. Nothing else in this crate reads the environment.

use std::env::VarError;

use crate::client::{Client, ClientBuilder};
use crate::error::{Error, ErrorKind};
use crate::transport::base_url::BaseUrl;
use crate::values::{ApiKey, InvalidValue};

const BASE_URL: &str = "PROFILE_BASE_URL";
const API_KEY: &str = "PROFILE_API_KEY";

pub(super) fn client_from(
    variable: impl Fn(&str) -> Result<String, VarError>,
) -> Result<Client, Error> {
    let builder = builder_from(variable)?;
    let Some(base_url) = &builder.transport.base_url else {
        let expected = "is not set; expected the base URL of the service, such as https://host";
        return Err(invalid_variable(BASE_URL, expected));
    };
    BaseUrl::parse(base_url, false).map_err(|invalid| invalid_value_of(BASE_URL, invalid))?;
    builder.build()
}

pub(super) fn builder_from(
    variable: impl Fn(&str) -> Result<String, VarError>,
) -> Result<ClientBuilder, Error> {
    let mut builder = Client::builder();
    if let Some(base_url) = read_variable(&variable, BASE_URL)? {
        // The caller may still allow plain HTTP.
        BaseUrl::parse(&base_url, true).map_err(|invalid| invalid_value_of(BASE_URL, invalid))?;
        builder = builder.base_url(base_url);
    }
    if let Some(key) = read_variable(&variable, API_KEY)? {
        let key = ApiKey::new(key).map_err(|invalid| invalid_value_of(API_KEY, invalid))?;
        builder = builder.api_key(key);
    }
    Ok(builder)
}

fn read_variable(
    variable: impl Fn(&str) -> Result<String, VarError>,
    name: &str,
) -> Result<Option<String>, Error> {
    match variable(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(invalid_variable(name, "is not valid UTF-8")),
    }
}

fn invalid_variable(name: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{name} {reason}"))
}

fn invalid_value_of(name: &str, invalid: InvalidValue) -> Error {
    Error::from(invalid).with_prefix(name)
}

#[cfg(test)]
mod tests {
    use std::env::VarError;

    use super::{builder_from, client_from};

    fn error(variables: &[(&str, &str)]) -> String {
        let made = client_from(|name| lookup(variables, name));
        made.unwrap_err().to_string()
    }

    fn lookup(variables: &[(&str, &str)], name: &str) -> Result<String, VarError> {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found
            .map(|(_, value)| (*value).to_owned())
            .ok_or(VarError::NotPresent)
    }

    #[test]
    fn the_key_is_optional() {
        let url = ("PROFILE_BASE_URL", "https://host");
        for variables in [
            &[url][..],
            &[url, ("PROFILE_API_KEY", "")],
            &[url, ("PROFILE_API_KEY", "key\n")],
        ] {
            let made = client_from(|name| lookup(variables, name));
            assert!(made.is_ok(), "{variables:?}");
        }
    }

    #[test]
    fn unset_variables_can_be_set_on_the_builder() {
        let builder = builder_from(|name| lookup(&[], name)).unwrap();
        assert!(builder.base_url("https://host").build().is_ok());
        let url = [("PROFILE_BASE_URL", "http://host")];
        let builder = builder_from(|name| lookup(&url, name)).unwrap();
        assert!(builder.clone().build().is_err());
        assert!(builder.allow_plain_http(true).build().is_ok());
        assert!(error(&url).starts_with("PROFILE_BASE_URL: base URL http://host/ would send"));
    }

    #[test]
    fn swapped_variables_do_not_show_the_key() {
        let swapped = [
            ("PROFILE_API_KEY", "https://host"),
            ("PROFILE_BASE_URL", "hush"),
        ];
        assert_eq!(
            error(&swapped),
            "PROFILE_BASE_URL: base URL does not contain ://; expected a URL such as https://host"
        );
    }

    #[test]
    fn errors_name_the_variable_and_never_the_key() {
        for variables in [&[][..], &[("PROFILE_BASE_URL", "")]] {
            assert_eq!(
                error(variables),
                "PROFILE_BASE_URL is not set; expected the base URL of the service, such as https://host"
            );
        }
        assert_eq!(
            error(&[("PROFILE_BASE_URL", "ftp://host")]),
            "PROFILE_BASE_URL: base URL has the scheme ftp; expected https or http, as in https://host"
        );
        assert_eq!(
            error(&[
                ("PROFILE_BASE_URL", "https://host"),
                ("PROFILE_API_KEY", "hush hush")
            ]),
            "PROFILE_API_KEY: API key has whitespace or a control character at position 5; \
             expected visible ASCII only"
        );
        let not_text = |_: &str| Err(VarError::NotUnicode("x".into()));
        let error = builder_from(not_text).unwrap_err();
        assert_eq!(error.to_string(), "PROFILE_BASE_URL is not valid UTF-8");
    }

    #[test]
    fn building_without_variables_names_the_variable() {
        let builder = builder_from(|name| lookup(&[], name)).unwrap();
        assert_eq!(
            builder.build().unwrap_err().to_string(),
            "no base URL is set; call ClientBuilder::base_url, or set PROFILE_BASE_URL and use from_env"
        );
    }
}
