//! A service with HTTPS.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use mock_server::MockServer;
use rcgen::{CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_blocking;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::dialects::program;

/// Accepts HTTPS for a server and returns the URL. Writes the certificate of the authority, in PEM.
async fn serve_https(server: SocketAddr, authority: &Path) -> String {
    let mut root = CertificateParams::new([]).unwrap();
    root.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let root_key = KeyPair::generate().unwrap();
    fs::write(authority, root.self_signed(&root_key).unwrap().pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &Issuer::new(root, root_key)).unwrap();
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let config = ServerConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut client = acceptor.accept(client).await?;
                let mut server = TcpStream::connect(server).await?;
                tokio::io::copy_bidirectional(&mut client, &mut server).await
            });
        }
    });
    format!("https://localhost:{port}")
}

/// Learns while the test continues to serve, and returns the exit code, the report and stderr.
async fn learn(mut command: Command) -> (Option<i32>, Value, String) {
    let output = spawn_blocking(move || command.output()).await;
    let output = output.unwrap().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), report, stderr)
}

#[tokio::test]
async fn trusts_the_authority_in_the_environment() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let authority = directory.path().join("authority.pem");
    let url = serve_https(server.address(), &authority).await;
    let command = || {
        let mut command = program(&url);
        command.arg("--json");
        command.env("PROFILE_API_KEY", server.key());
        command
    };
    let mut trusting = command();
    trusting.env("SSL_CERT_FILE", &authority);
    let (code, report, stderr) = learn(trusting).await;
    assert_eq!(code, Some(0), "{stderr}{report}");
    let sent = server.journal().requests().len();
    assert_eq!(report["requests"], json!(sent));

    let mut misled = command();
    misled.env("SSL_CERT_FILE", "/nonexistent");
    let (code, _, stderr) = learn(misled).await;
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("check SSL_CERT_FILE"), "{stderr}");

    let (code, _, stderr) = learn(command()).await;
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("invalid peer certificate"), "{stderr}");
    let advice = "; if a private authority issued the service's certificate";
    assert!(stderr.contains(advice), "{stderr}");
    let mut plain = program(&server.uri().replace("http:", "https:"));
    plain.env("PROFILE_API_KEY", server.key());
    plain.env("SSL_CERT_FILE", &authority);
    let (code, _, stderr) = learn(plain).await;
    assert_eq!(code, Some(3), "{stderr}");
    let advice = "; the service does not support HTTPS on this port";
    assert!(stderr.contains(advice), "{stderr}");
    assert_eq!(server.journal().requests().len(), sent);

    // HTTP needs no certificates.
    let mut plain = program(server.uri());
    plain.env("PROFILE_API_KEY", server.key());
    plain.env("SSL_CERT_FILE", "/nonexistent").arg("--json");
    let (code, report, stderr) = learn(plain).await;
    assert_eq!(code, Some(0), "{stderr}{report}");
}
