//! The cryptography of rustls, by cargo feature.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

use crate::Error;

/// Returns aws-lc-rs or ring, whichever is enabled first.
///
/// The default provider of the process is not used: if a program depends on both, rustls does not
/// install one by itself.
#[cfg(any(feature = "rustls", feature = "rustls-ring"))]
pub(super) fn crypto_provider() -> Result<Arc<CryptoProvider>, Error> {
    #[cfg(feature = "rustls")]
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "rustls"))]
    let provider = rustls::crypto::ring::default_provider();
    Ok(Arc::new(provider))
}

/// Returns the provider that the program has installed.
#[cfg(not(any(feature = "rustls", feature = "rustls-ring")))]
pub(super) fn crypto_provider() -> Result<Arc<CryptoProvider>, Error> {
    CryptoProvider::get_default().cloned().ok_or_else(|| {
        let reason = "no crypto provider is installed for rustls; call \
                      rustls::crypto::CryptoProvider::install_default before creating a client, \
                      or enable the feature rustls or rustls-ring of profile-sdk";
        Error::new(crate::ErrorKind::Invalid, reason)
    })
}
