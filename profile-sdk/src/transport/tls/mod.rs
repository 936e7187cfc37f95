//! TLS, by cargo feature.

#[cfg(feature = "__rustls")]
mod crypto_provider;
#[cfg(feature = "native-tls")]
mod native;
#[cfg(feature = "__rustls")]
mod root_certificates;
#[cfg(feature = "__rustls")]
mod rustls_config;

use std::error::Error as StdError;

use crate::{Error, ErrorKind};

/// An implementation of TLS and the root certificates that it trusts.
///
/// Each variant requires a cargo feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tls {
    /// rustls with the root certificates of the platform; feature `rustls` (on by default),
    /// `rustls-ring` or `rustls-no-provider`.
    #[cfg(feature = "__rustls")]
    #[cfg_attr(
        docsrs,
        doc(cfg(any(
            feature = "rustls",
            feature = "rustls-ring",
            feature = "rustls-no-provider"
        )))
    )]
    Rustls,
    /// rustls with the root certificates of Mozilla, compiled in; feature `webpki-roots`.
    #[cfg(feature = "webpki-roots")]
    WebpkiRoots,
    /// The TLS implementation and root certificates of the platform; feature `native-tls`.
    #[cfg(feature = "native-tls")]
    NativeTls,
}

impl Tls {
    /// The default: the first that is enabled.
    const PREFERRED: Option<Self> = {
        #[cfg(feature = "__rustls")]
        let preferred = Some(Self::Rustls);
        #[cfg(all(feature = "native-tls", not(feature = "__rustls")))]
        let preferred = Some(Self::NativeTls);
        #[cfg(not(any(feature = "__rustls", feature = "native-tls")))]
        let preferred = None;
        preferred
    };
}

/// Configures TLS. `https` is `None` if no connection uses HTTPS, otherwise the additional root
/// certificates in PEM.
///
/// Without HTTPS, root certificates are not loaded, because this is the slowest part of creating a
/// client.
pub(crate) fn prepare(
    http: reqwest::ClientBuilder,
    tls: Option<Tls>,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    match tls.or(Tls::PREFERRED) {
        None if https.is_some() => Err(Error::new(
            ErrorKind::Invalid,
            "HTTPS is not available, because this program was built without TLS; \
             enable the feature rustls, rustls-ring or native-tls of profile-sdk",
        )),
        None => Ok(http),
        #[cfg(feature = "__rustls")]
        Some(Tls::Rustls) => {
            rustls_config::with_rustls(http, root_certificates::of_platform, https)
        }
        #[cfg(feature = "webpki-roots")]
        Some(Tls::WebpkiRoots) => {
            rustls_config::with_rustls(http, root_certificates::bundled, https)
        }
        #[cfg(feature = "native-tls")]
        Some(Tls::NativeTls) => native::with_native_tls(http, https),
    }
}

#[cfg(any(feature = "__rustls", feature = "native-tls"))]
fn invalid_pem(error: impl StdError + 'static) -> Error {
    setup_error(
        "the value of root_certificate_pem is not a PEM certificate",
        error,
    )
}

#[cfg(any(feature = "__rustls", feature = "native-tls"))]
fn at_least_one<T>(certificates: Vec<T>) -> Result<Vec<T>, Error> {
    if certificates.is_empty() {
        let reason = "the value of root_certificate_pem is not a PEM certificate: \
                      it has no line -----BEGIN CERTIFICATE-----";
        return Err(Error::new(ErrorKind::Invalid, reason));
    }
    Ok(certificates)
}

/// Creates an error about setting up a client, with its root cause in the message.
pub(crate) fn setup_error(what: &str, error: impl StdError + 'static) -> Error {
    let reason = format!("{what}: {}", root_cause(&error));
    Error::new(ErrorKind::Invalid, reason)
}

/// Returns the message of the last error in the chain of causes.
pub(crate) fn root_cause(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
