//! How HTTPS is spoken, by cargo feature.

use std::error::Error as StdError;

use crate::transport::root_cause;
use crate::{Error, ErrorKind};

/// An implementation of TLS and the root certificates that it trusts. Each is there with the cargo
/// feature of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tls {
    /// rustls with the root certificates of the platform; feature `rustls`, on by default.
    #[cfg(feature = "rustls")]
    Rustls,
    /// rustls with root certificates that were compiled in, those of Mozilla; feature
    /// `webpki-roots`.
    #[cfg(feature = "webpki-roots")]
    WebpkiRoots,
    /// The platform's own TLS and root certificates; feature `native-tls`.
    #[cfg(feature = "native-tls")]
    NativeTls,
}

impl Tls {
    /// The one that is used unless the caller names another: the first of those there are.
    const PREFERRED: Option<Self> = {
        #[cfg(feature = "rustls")]
        let preferred = Some(Self::Rustls);
        #[cfg(all(feature = "native-tls", not(feature = "rustls")))]
        let preferred = Some(Self::NativeTls);
        #[cfg(not(any(feature = "rustls", feature = "native-tls")))]
        let preferred = None;
        preferred
    };
}

/// Readies TLS. Root certificates are read only where HTTPS is spoken, since that takes longer than
/// everything else at the start.
pub(crate) fn prepare(
    http: reqwest::ClientBuilder,
    tls: Option<Tls>,
    https: bool,
) -> Result<reqwest::ClientBuilder, Error> {
    match tls.or(Tls::PREFERRED) {
        None if https => Err(Error::new(
            ErrorKind::Invalid,
            "HTTPS cannot be spoken, since this program was built without TLS: \
             turn on the feature rustls, webpki-roots or native-tls of profile-sdk",
        )),
        None => Ok(http),
        #[cfg(feature = "rustls")]
        Some(Tls::Rustls) => Ok(http.tls_backend_preconfigured(rustls(https, platform_roots)?)),
        #[cfg(feature = "webpki-roots")]
        Some(Tls::WebpkiRoots) => Ok(http.tls_backend_preconfigured(rustls(https, bundled_roots)?)),
        #[cfg(feature = "native-tls")]
        Some(Tls::NativeTls) if https => Ok(http.tls_backend_native()),
        #[cfg(feature = "native-tls")]
        Some(Tls::NativeTls) => Ok(http.tls_backend_native().tls_certs_only([])),
    }
}

#[cfg(feature = "rustls")]
type WithoutRoots = rustls::ConfigBuilder<rustls::ClientConfig, rustls::WantsVerifier>;

#[cfg(feature = "rustls")]
type WithRoots = rustls::ConfigBuilder<rustls::ClientConfig, rustls::client::WantsClientCert>;

#[cfg(feature = "rustls")]
fn rustls(
    https: bool,
    roots: fn(WithoutRoots) -> Result<WithRoots, rustls::Error>,
) -> Result<rustls::ClientConfig, Error> {
    let failed = |error| set_up_failed("TLS could not be set up", error);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let trusting = if https {
        roots(versions).map_err(failed)?
    } else {
        versions.with_root_certificates(rustls::RootCertStore::empty())
    };
    let mut config = trusting.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(feature = "rustls")]
fn platform_roots(builder: WithoutRoots) -> Result<WithRoots, rustls::Error> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    builder.with_platform_verifier()
}

#[cfg(feature = "webpki-roots")]
fn bundled_roots(builder: WithoutRoots) -> Result<WithRoots, rustls::Error> {
    let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
    Ok(builder.with_root_certificates(rustls::RootCertStore { roots }))
}

/// What kept a client from being made.
pub(crate) fn set_up_failed(what: &str, error: impl StdError + Send + Sync + 'static) -> Error {
    let reason = format!("{what}: {}", root_cause(&error));
    Error::new(ErrorKind::Invalid, reason).caused_by(error)
}
