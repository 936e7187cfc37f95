//! HTTPS with a real service on this machine.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use mock_server::MockServer;
use profile_sdk::{ApiKey, ErrorKind, RetryPolicy, Tls};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::client_builder_for;

/// An HTTPS service with a self-signed certificate.
pub(crate) struct Service {
    pub(crate) uri: String,
    pub(crate) certificate: String,
    seen: Seen,
}

/// The HTTP version and the key of each received request.
type Seen = Arc<Mutex<Vec<(Version, String)>>>;

impl Service {
    /// Starts a service that offers these protocols with ALPN.
    pub(crate) async fn start(protocols: &[&str]) -> Self {
        let (acceptor, certificate) = acceptor(protocols);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Seen::default();
        tokio::spawn(serve(listener, acceptor, seen.clone()));
        Self {
            uri: format!("https://localhost:{port}"),
            certificate,
            seen,
        }
    }

    pub(crate) fn seen(&self) -> Vec<(Version, String)> {
        self.seen.lock().unwrap().clone()
    }
}

/// Returns an acceptor for `localhost` that offers these protocols with ALPN, and its certificate.
pub(crate) fn acceptor(protocols: &[&str]) -> (TlsAcceptor, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().into())
        .collect();
    (Arc::new(config).into(), made.cert.pem())
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, seen: Seen) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, seen) = (acceptor.clone(), seen.clone());
        tokio::spawn(async move {
            // A client that does not trust the certificate closes the connection here.
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let response = service_fn(|request| std::future::ready(response(&seen, &request)));
            let server = auto::Builder::new(TokioExecutor::new());
            let _ = server
                .serve_connection(TokioIo::new(stream), response)
                .await;
        });
    }
}

fn response(seen: &Seen, request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let key = request.headers()["authorization"].to_str().unwrap();
    seen.lock()
        .unwrap()
        .push((request.version(), key.to_owned()));
    Ok(Response::new(Full::from(r#"{"data":{"handle":"ada"}}"#)))
}

/// Returns the TLS implementations that are enabled.
fn every_tls() -> Vec<Tls> {
    vec![
        #[cfg(feature = "__rustls")]
        Tls::Rustls,
        #[cfg(feature = "webpki-roots")]
        Tls::WebpkiRoots,
        #[cfg(feature = "native-tls")]
        Tls::NativeTls,
    ]
}

#[tokio::test]
async fn sends_nothing_to_an_untrusted_certificate() {
    for tls in every_tls() {
        let service = Service::start(&["h2", "http/1.1"]).await;
        let client = client_builder_for(&service.uri)
            .tls(tls)
            .api_key(ApiKey::new("canary").unwrap())
            .retry(RetryPolicy::none())
            .build()
            .unwrap();
        let error = client.create_post("p").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connection);
        assert!(!error.may_have_been_applied());
        let message = error.to_string();
        assert!(message.contains("nothing was sent"), "{message}");
        assert!(message.contains("certificate"), "{tls:?}: {message}");
        assert!(
            message.contains("trust the root certificate"),
            "{tls:?}: {message}"
        );
        assert!(!format!("{error:?}").contains("canary"));
        assert_eq!(service.seen(), []);
    }
}

#[tokio::test]
async fn sends_requests_to_a_trusted_certificate() {
    for tls in every_tls() {
        for (protocols, version) in [
            #[cfg(feature = "http2")]
            (&["h2", "http/1.1"][..], Version::HTTP_2),
            #[cfg(not(feature = "http2"))]
            (&["h2", "http/1.1"][..], Version::HTTP_11),
            (&["http/1.1"], Version::HTTP_11),
        ] {
            let service = Service::start(protocols).await;
            let client = client_builder_for(&service.uri)
                .tls(tls)
                .root_certificate_pem(service.certificate.as_bytes())
                .api_key(ApiKey::new("the-key").unwrap())
                .build()
                .unwrap();
            for _ in 0..2 {
                let me = client.me().await.unwrap();
                assert_eq!(me.handle.unwrap().as_str(), "ada");
            }
            let expected = (version, "Bearer the-key".to_owned());
            assert_eq!(service.seen(), [expected.clone(), expected], "{tls:?}");
        }
    }
}

#[tokio::test]
async fn reports_https_to_a_plain_http_port() {
    let service = MockServer::start().await;
    for tls in every_tls() {
        let client = client_builder_for(&service.uri().replace("http://", "https://"))
            .tls(tls)
            .build()
            .unwrap();
        let message = client.badges().await.unwrap_err().to_string();
        let expected = "the service does not support HTTPS on this port; check the base URL";
        assert!(message.contains(expected), "{tls:?}: {message}");
    }
}

#[test]
fn rejects_invalid_certificates() {
    for tls in every_tls() {
        for broken in [
            "",
            "/etc/ssl/root.pem",
            "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
        ] {
            let builder = client_builder_for("https://localhost").tls(tls);
            let rejected = builder.root_certificate_pem(broken).build().unwrap_err();
            assert_eq!(rejected.kind(), ErrorKind::Invalid);
            let message = rejected.to_string();
            let start = "the value of root_certificate_pem is not a PEM certificate: ";
            assert!(message.starts_with(start), "{tls:?}: {message}");
        }
    }
}
