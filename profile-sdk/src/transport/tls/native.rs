//! The TLS implementation of the platform.

use super::{at_least_one, invalid_pem};
use crate::Error;

pub(super) fn with_native_tls(
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
