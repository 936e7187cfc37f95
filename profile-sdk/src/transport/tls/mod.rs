//! TLS, by cargo feature.

#[cfg(feature = "__rustls")]
mod rustls_config;

use crate::error::{Error, ErrorKind};

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
            rustls_config::with_rustls(http, rustls_config::platform_verifier, https)
        }
        #[cfg(feature = "webpki-roots")]
        Some(Tls::WebpkiRoots) => {
            rustls_config::with_rustls(http, rustls_config::webpki_verifier, https)
        }
        #[cfg(feature = "native-tls")]
        Some(Tls::NativeTls) => with_native_tls(http, https),
    }
}

#[cfg(feature = "native-tls")]
fn with_native_tls(
    http: reqwest::ClientBuilder,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    let http = http.tls_backend_native();
    let Some(root_certificates) = https else {
        return Ok(http.tls_certs_only([]));
    };
    let mut certificates = Vec::new();
    for pem in root_certificates {
        let read = reqwest::Certificate::from_pem_bundle(pem).map_err(invalid_pem)?;
        certificates.extend(at_least_one(read)?);
    }
    Ok(http.tls_certs_merge(certificates))
}

#[cfg(any(feature = "__rustls", feature = "native-tls"))]
fn invalid_pem(error: impl std::error::Error + 'static) -> Error {
    crate::error::kind::setup_error(
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
