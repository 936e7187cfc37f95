//! How HTTPS is spoken, by cargo feature.

use std::error::Error as StdError;

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

/// Readies TLS, where HTTPS is spoken with the PEM texts of further certificates to trust. Elsewhere
/// no root certificates are read, since that takes longer than everything else at the start.
pub(crate) fn prepare(
    http: reqwest::ClientBuilder,
    tls: Option<Tls>,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    match tls.or(Tls::PREFERRED) {
        None if https.is_some() => Err(Error::new(
            ErrorKind::Invalid,
            "HTTPS cannot be spoken, since this program was built without TLS: \
             turn on the feature rustls, webpki-roots or native-tls of profile-sdk",
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

/// What to do about a connection that could not be made for this reason. Each implementation has
/// words of its own, and some have nothing else to tell it by.
pub(crate) fn advice(reason: &str) -> &'static str {
    let says = |words: &[&str]| words.iter().any(|words| reason.contains(words));
    if says(&[
        "InvalidContentType",
        "wrong version number",
        "packet length too long",
    ]) {
        "; the service does not speak HTTPS there; check the base URL"
    } else if says(&["UnknownIssuer", "certificate verify failed"]) {
        "; if a private authority issued the service's certificate, add that authority's own to \
         those that are trusted"
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
        let read = reqwest::Certificate::from_pem_bundle(pem).map_err(no_certificate)?;
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
    trusting: fn(WithoutRoots, Certificates) -> Result<WithRoots, rustls::Error>,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    let failed = |error| set_up_failed("TLS could not be set up", error);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let trusting = match https {
        Some(root_certificates) => {
            trusting(versions, certificates_in(root_certificates)?).map_err(failed)?
        }
        None => versions.with_root_certificates(rustls::RootCertStore::empty()),
    };
    let mut config = trusting.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(http.tls_backend_preconfigured(config))
}

#[cfg(feature = "rustls")]
fn certificates_in(root_certificates: &[Vec<u8>]) -> Result<Certificates, Error> {
    use rustls::pki_types::{CertificateDer, pem::PemObject as _};

    let mut certificates = Vec::new();
    for pem in root_certificates {
        let read: Result<_, _> = CertificateDer::pem_slice_iter(pem).collect();
        certificates.extend(at_least_one(read.map_err(no_certificate)?)?);
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
    // So rustls calls whatever is not its own; this is the platform's.
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(verifier))
}

/// Android's verifier takes no further root certificates.
#[cfg(all(feature = "rustls", target_os = "android"))]
fn platform_roots(
    builder: WithoutRoots,
    certificates: Certificates,
) -> Result<WithRoots, rustls::Error> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    if certificates.is_empty() {
        return builder.with_platform_verifier();
    }
    let reason = "Android takes root certificates from its settings alone; \
                  use Tls::WebpkiRoots to give others";
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
fn no_certificate(error: impl StdError + Send + Sync + 'static) -> Error {
    set_up_failed(
        "what was given to root_certificate_pem is not a certificate in PEM",
        error,
    )
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
fn at_least_one<T>(certificates: Vec<T>) -> Result<Vec<T>, Error> {
    if certificates.is_empty() {
        let reason = "what was given to root_certificate_pem is not a certificate in PEM: \
                      it has no line -----BEGIN CERTIFICATE-----";
        return Err(Error::new(ErrorKind::Invalid, reason));
    }
    Ok(certificates)
}

/// What kept a client from being made.
pub(crate) fn set_up_failed(what: &str, error: impl StdError + Send + Sync + 'static) -> Error {
    let reason = format!("{what}: {}", root_cause(&error));
    Error::new(ErrorKind::Invalid, reason).caused_by(error)
}

/// The text of the last cause in the chain, which is the one that says what went wrong.
pub(crate) fn root_cause(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
