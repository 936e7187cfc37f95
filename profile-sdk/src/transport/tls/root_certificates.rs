//! The root certificates of rustls.

use std::sync::{Arc, OnceLock};

use rustls::crypto::CryptoProvider;
use rustls_platform_verifier::Verifier;

use super::rustls_config::{Certificates, WithRoots, WithoutRoots};

/// Trusts the root certificates of the platform and these.
pub(super) fn of_platform(
    builder: WithoutRoots,
    certificates: Certificates,
) -> Result<WithRoots, rustls::Error> {
    let provider = builder.crypto_provider().clone();
    let verifier = if certificates.is_empty() {
        platform_verifier(provider)?
    } else {
        Arc::new(with_extra_roots(certificates, provider)?)
    };
    // rustls calls every custom verifier dangerous; this one is the verifier of the platform.
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(verifier))
}

/// Loads the root certificates once per process: it takes 18 million instructions and 100 kB.
fn platform_verifier(provider: Arc<CryptoProvider>) -> Result<Arc<Verifier>, rustls::Error> {
    static VERIFIER: OnceLock<Arc<Verifier>> = OnceLock::new();
    if let Some(verifier) = VERIFIER.get() {
        return Ok(verifier.clone());
    }
    let verifier = Arc::new(Verifier::new(provider)?);
    Ok(VERIFIER.get_or_init(|| verifier).clone())
}

#[cfg(not(target_os = "android"))]
fn with_extra_roots(
    certificates: Certificates,
    provider: Arc<CryptoProvider>,
) -> Result<Verifier, rustls::Error> {
    Verifier::new_with_extra_roots(certificates, provider)
}

/// The verifier of Android does not accept additional root certificates.
#[cfg(target_os = "android")]
fn with_extra_roots(_: Certificates, _: Arc<CryptoProvider>) -> Result<Verifier, rustls::Error> {
    let reason = "Android only trusts the root certificates in its settings; \
                  use Tls::WebpkiRoots to add others";
    Err(rustls::Error::General(reason.to_owned()))
}

/// Trusts the root certificates of Mozilla and these.
#[cfg(feature = "webpki-roots")]
pub(super) fn bundled(
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
