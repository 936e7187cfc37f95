//! The configuration of rustls.

use rustls::client::WantsClientCert;
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};

use super::crypto_provider::crypto_provider;
use super::{at_least_one, invalid_pem, setup_error};
use crate::Error;

pub(super) type WithoutRoots = ConfigBuilder<ClientConfig, WantsVerifier>;

pub(super) type WithRoots = ConfigBuilder<ClientConfig, WantsClientCert>;

pub(super) type Certificates = Vec<CertificateDer<'static>>;

/// The protocols that are offered with ALPN.
const PROTOCOLS: &[&[u8]] = &[
    #[cfg(feature = "http2")]
    b"h2",
    b"http/1.1",
];

pub(super) fn with_rustls(
    http: reqwest::ClientBuilder,
    with_roots: fn(WithoutRoots, Certificates) -> Result<WithRoots, rustls::Error>,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    let failed = |error| setup_error("could not set up TLS", error);
    let versions = ClientConfig::builder_with_provider(crypto_provider()?)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let builder = match https {
        Some(root_certificates) => {
            with_roots(versions, certificates_in(root_certificates)?).map_err(failed)?
        }
        None => versions.with_root_certificates(RootCertStore::empty()),
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = PROTOCOLS.iter().map(|name| name.to_vec()).collect();
    Ok(http.tls_backend_preconfigured(config))
}

fn certificates_in(root_certificates: &[Vec<u8>]) -> Result<Certificates, Error> {
    let mut certificates = Vec::new();
    for pem in root_certificates {
        let read: Result<_, _> = CertificateDer::pem_slice_iter(pem).collect();
        certificates.extend(at_least_one(read.map_err(invalid_pem)?)?);
    }
    Ok(certificates)
}
