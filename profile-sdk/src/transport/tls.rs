//! TLS, by cargo feature.

use std::error::Error as StdError;

use crate::{Error, ErrorKind};

/// An implementation of TLS and the root certificates that it trusts.
///
/// Each variant requires the cargo feature of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tls {
    /// rustls with the root certificates of the platform; feature `rustls`, on by default.
    #[cfg(feature = "rustls")]
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
        #[cfg(feature = "rustls")]
        let preferred = Some(Self::Rustls);
        #[cfg(all(feature = "native-tls", not(feature = "rustls")))]
        let preferred = Some(Self::NativeTls);
        #[cfg(not(any(feature = "rustls", feature = "native-tls")))]
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
             enable the feature rustls, webpki-roots or native-tls of profile-sdk",
        )),
        None => Ok(http),
        #[cfg(feature = "rustls")]
        Some(Tls::Rustls) => with_rustls(http, platform_roots, https),
        #[cfg(feature = "webpki-roots")]
        Some(Tls::WebpkiRoots) => with_rustls(http, bundled_roots, https),
        #[cfg(feature = "native-tls")]
        Some(Tls::NativeTls) => with_native_tls(http, https),
    }
}

/// Returns advice for a failed connection. Some TLS implementations report the cause only in the
/// text of the error.
pub(crate) fn advice(reason: &str) -> &'static str {
    let contains = |words: &[&str]| words.iter().any(|words| reason.contains(words));
    if contains(&[
        "InvalidContentType",
        "wrong version number",
        "packet length too long",
    ]) {
        "; the service does not support HTTPS on this port; check the base URL"
    } else if contains(&["UnknownIssuer", "certificate verify failed"]) {
        "; if a private authority issued the service's certificate, trust the root certificate of \
         that authority"
    } else {
        ""
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

#[cfg(feature = "rustls")]
type WithoutRoots = rustls::ConfigBuilder<rustls::ClientConfig, rustls::WantsVerifier>;

#[cfg(feature = "rustls")]
type WithRoots = rustls::ConfigBuilder<rustls::ClientConfig, rustls::client::WantsClientCert>;

#[cfg(feature = "rustls")]
type Certificates = Vec<rustls::pki_types::CertificateDer<'static>>;

#[cfg(feature = "rustls")]
fn with_rustls(
    http: reqwest::ClientBuilder,
    with_roots: fn(WithoutRoots, Certificates) -> Result<WithRoots, rustls::Error>,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    let failed = |error| setup_error("could not set up TLS", error);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let builder = match https {
        Some(root_certificates) => {
            with_roots(versions, certificates_in(root_certificates)?).map_err(failed)?
        }
        None => versions.with_root_certificates(rustls::RootCertStore::empty()),
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(http.tls_backend_preconfigured(config))
}

#[cfg(feature = "rustls")]
fn certificates_in(root_certificates: &[Vec<u8>]) -> Result<Certificates, Error> {
    use rustls::pki_types::{CertificateDer, pem::PemObject as _};

    let mut certificates = Vec::new();
    for pem in root_certificates {
        let read: Result<_, _> = CertificateDer::pem_slice_iter(pem).collect();
        certificates.extend(at_least_one(read.map_err(invalid_pem)?)?);
    }
    Ok(certificates)
}

#[cfg(all(feature = "rustls", not(target_os = "android")))]
fn platform_roots(
    builder: WithoutRoots,
    certificates: Certificates,
) -> Result<WithRoots, rustls::Error> {
    let provider = builder.crypto_provider().clone();
    let verifier =
        rustls_platform_verifier::Verifier::new_with_extra_roots(certificates, provider)?;
    let verifier = std::sync::Arc::new(verifier);
    // rustls calls every custom verifier dangerous; this one is the verifier of the platform.
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(verifier))
}

/// The verifier of Android does not accept additional root certificates.
#[cfg(all(feature = "rustls", target_os = "android"))]
fn platform_roots(
    builder: WithoutRoots,
    certificates: Certificates,
) -> Result<WithRoots, rustls::Error> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    if certificates.is_empty() {
        return builder.with_platform_verifier();
    }
    let reason = "Android only trusts the root certificates in its settings; \
                  use Tls::WebpkiRoots to add others";
    Err(rustls::Error::General(reason.to_owned()))
}

#[cfg(feature = "webpki-roots")]
fn bundled_roots(
    builder: WithoutRoots,
    certificates: Certificates,
) -> Result<WithRoots, rustls::Error> {
    let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
    let mut store = rustls::RootCertStore { roots };
    for certificate in certificates {
        store.add(certificate)?;
    }
    Ok(builder.with_root_certificates(store))
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
fn invalid_pem(error: impl StdError + 'static) -> Error {
    setup_error(
        "the value of root_certificate_pem is not a PEM certificate",
        error,
    )
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
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
