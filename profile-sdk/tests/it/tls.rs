//! HTTPS with a real service on this machine.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use mock_server::MockServer;
use profile_sdk::{ApiKey, ErrorKind, RetryPolicy, Tls};
use rcgen::{CertificateParams, KeyPair};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};

use crate::client_builder_for;

/// An HTTPS service with a self-signed certificate. If the last segment of a path is a number, the response
/// has headers of this size.
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
    acceptor_with(protocols, localhost())
}

fn localhost() -> CertificateParams {
    CertificateParams::new(vec!["localhost".to_owned()]).unwrap()
}

/// Returns the same with a self-signed certificate with these parameters.
fn acceptor_with(protocols: &[&str], certificate: CertificateParams) -> (TlsAcceptor, String) {
    let key_pair = KeyPair::generate().unwrap();
    let certificate = certificate.self_signed(&key_pair).unwrap();
    let key = PrivatePkcs8KeyDer::from(key_pair.serialize_der());
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let key = provider.key_provider.load_private_key(key.into()).unwrap();
    // Unlike `with_single_cert`, this accepts a certificate that rustls cannot read.
    let certified = CertifiedKey::new(vec![certificate.der().clone()], key);
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    let protocols = protocols.iter().map(|name| name.as_bytes().into());
    config.alpn_protocols = protocols.collect();
    (Arc::new(config).into(), certificate.pem())
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
            let connection = server.serve_connection(TokioIo::new(stream), response);
            let _ = connection.await;
        });
    }
}

fn response(seen: &Seen, request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let key = request.headers()["authorization"].to_str().unwrap();
    let seen_now = (request.version(), key.to_owned());
    seen.lock().unwrap().push(seen_now);
    let segment = request.uri().path().rsplit('/').next().unwrap_or_default();
    let mut bytes = segment.parse().unwrap_or(0);
    let mut response = Response::new(Full::from(r#"{"data":{"handle":"ada"}}"#));
    while bytes > 0 {
        let value = "x".repeat(bytes.min(10_000));
        let headers = response.headers_mut();
        headers.append("x-header", value.parse().unwrap());
        bytes -= value.len();
    }
    Ok(response)
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
            .retry(RetryPolicy::none());
        let client = client.build().unwrap();
        let error = client.create_post("p").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connection);
        assert!(!error.may_have_been_applied());
        let message = error.to_string();
        for shown in ["nothing was sent", "trust the root certificate"] {
            assert!(message.contains(shown), "{tls:?}: {message}");
        }
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
                .api_key(ApiKey::new("the-key").unwrap());
            let client = client.build().unwrap();
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
        let client = client_builder_for(&service.uri().replace("http://", "https://")).tls(tls);
        let client = client.build().unwrap();
        let error = client.badges().await.unwrap_err();
        let message = error.to_string();
        let expected = "the service does not support HTTPS on this port; check its URL";
        assert!(message.contains(expected), "{tls:?}: {message}");
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connection, 0));
        assert!(!error.is_retryable() && !message.contains("tried"));
    }
}

#[tokio::test]
async fn reports_plain_http_to_an_https_port() {
    let service = Service::start(&["http/1.1"]).await;
    let client = client_builder_for(&service.uri.replace("https://", "http://"))
        .api_key(ApiKey::new("canary").unwrap());
    let client = client.build().unwrap();
    let error = client.me().await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Unreadable, 1));
    assert!(!error.is_retryable());
    let message = error.to_string();
    let start = "GET /api/v1/me: the response is not valid HTTP: ";
    assert!(message.starts_with(start), "{message}");
    assert!(
        message.ends_with("; check the base URL, or use https"),
        "{message}"
    );
}

/// Starts a service with this certificate. Returns its URL, the certificate, and the number of handshakes.
async fn serve_handshakes(certificate: CertificateParams) -> (String, String, Arc<AtomicUsize>) {
    let (acceptor, certificate) = acceptor_with(&[], certificate);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let handshakes = Arc::<AtomicUsize>::default();
    let counter = handshakes.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            let _ = acceptor.accept(stream).await;
        }
    });
    (format!("https://localhost:{port}"), certificate, handshakes)
}

#[tokio::test]
async fn an_invalid_certificate_is_reported_at_once() {
    let mut expired = localhost();
    expired.not_after = rcgen::date_time_ymd(1994, 11, 6);
    let mut not_yet_valid = localhost();
    not_yet_valid.not_before = rcgen::date_time_ymd(2994, 11, 6);
    let mut authority = localhost();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let other_name = CertificateParams::new(vec!["other.example".to_owned()]).unwrap();
    let renew = "; renew the service's certificate, or set the clock of this machine";
    let of_authority = "certificate of an authority as its own";
    for (certificate, is_trusted, shown) in [
        (localhost(), false, "trust the root certificate"),
        (expired, true, renew),
        (not_yet_valid, true, renew),
        (
            other_name,
            true,
            "; the service's certificate is for another host",
        ),
        (authority.clone(), true, of_authority),
        (authority, false, of_authority),
    ] {
        for tls in every_tls() {
            let (uri, pem, handshakes) = serve_handshakes(certificate.clone()).await;
            let mut builder = client_builder_for(&uri)
                .tls(tls)
                .api_key(ApiKey::new("canary").unwrap());
            if is_trusted {
                builder = builder.root_certificate_pem(pem);
            }
            let Ok(client) = builder.build() else {
                // Some implementations reject such a root certificate.
                continue;
            };
            let error = client.me().await.unwrap_err();
            let message = error.to_string();
            let is_native = format!("{tls:?}") == "NativeTls";
            if is_native && error.kind() == ErrorKind::ResponseLost {
                // OpenSSL accepts the trusted certificate of an authority.
                continue;
            }
            assert!(message.contains(shown) || is_native, "{tls:?}: {message}");
            assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connection, 0));
            assert_eq!(handshakes.load(Ordering::Relaxed), 1, "{message}");
            assert!(!error.is_retryable(), "{message}");
        }
    }
}

#[tokio::test]
async fn accepts_what_editors_do_to_pem() {
    let service = Service::start(&["http/1.1"]).await;
    let pem = &service.certificate;
    for pem in [
        format!("\u{feff}{pem}"),
        pem.lines().map(|line| format!("\t  {line} \r\n")).collect(),
        pem.replace("\r\n", "\n").replace('\n', "\r"),
        format!("Subject: us\n\n{pem}\n\n{pem}"),
    ] {
        for tls in every_tls() {
            let client = client_builder_for(&service.uri)
                .tls(tls)
                .root_certificate_pem(pem.as_bytes())
                .api_key(ApiKey::new("key").unwrap())
                .build();
            client.unwrap().me().await.unwrap();
        }
    }
}

#[test]
fn invalid_certificates_are_rejected_and_not_shown() {
    let (_, pem) = acceptor(&[]);
    let utf_16: Vec<u8> = pem.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_16_be: Vec<u8> = pem.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let private_key = b"-----BEGIN PRIVATE KEY-----hush-----END PRIVATE KEY-----";
    let one_line = "expected the lines -----BEGIN CERTIFICATE-----";
    for (pem, shown) in [
        (pem.replace(['\r', '\n'], "").into_bytes(), one_line),
        (pem.replace(['\r', '\n'], "\\n").into_bytes(), one_line),
        (private_key.to_vec(), one_line),
        (b"-----BEGIN CERTIFICATE-----\nhush".to_vec(), one_line),
        ([&b"\xff\xfe"[..], &utf_16].concat(), "it is UTF-16"),
        ([&b"\xfe\xff"[..], &utf_16_be].concat(), "it is UTF-16"),
        (Vec::new(), one_line),
        (b"/etc/ssl/root.pem".to_vec(), one_line),
        (
            b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----".to_vec(),
            one_line,
        ),
        (utf_16, "it is UTF-16"),
        (utf_16_be, "it is UTF-16"),
    ] {
        for tls in every_tls() {
            let builder = client_builder_for("https://localhost").tls(tls);
            let builder = builder.root_certificate_pem(pem.clone());
            let error = builder.build().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            let message = error.to_string();
            let start = "the value of root_certificate_pem is not a PEM certificate: ";
            assert!(message.starts_with(start), "{tls:?}: {message}");
            let is_native = format!("{tls:?}") == "NativeTls";
            assert!(message.contains(shown) || is_native, "{tls:?}: {message}");
            assert!(message.len() < 250, "{message}");
            assert!(!message.contains("104, 117"), "{message}");
        }
    }
}
