//! A service with HTTPS and a self-signed certificate.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The response to every request.
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":{}}";

pub(crate) struct TlsService {
    pub(crate) base_url: String,
    /// In PEM.
    pub(crate) certificate: String,
}

impl TlsService {
    /// Starts a service that responds to one request on each connection, until the test ends.
    pub(crate) fn start() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        Self::with(made.cert.pem(), &made.signing_key.serialize_pem())
    }

    /// Starts such a service with this certificate and key in PEM.
    pub(crate) fn with(certificate: String, key: &str) -> Self {
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = StreamOwned::new(connection, stream.unwrap());
                // A client may only check the connection, or not trust the certificate.
                if stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {
                    let _ = stream.write_all(RESPONSE);
                }
            }
        });
        Self {
            base_url: format!("https://localhost:{port}"),
            certificate,
        }
    }
}
