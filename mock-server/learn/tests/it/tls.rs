//! A service with HTTPS.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use mock_server::MockServer;
use rcgen::{CertificateParams, IsCa, Issuer, KeyPair, SanType, date_time_ymd};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_blocking;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::dialects::program;

/// Accepts HTTPS for a server and returns the URL. Writes the certificate of the authority, in PEM. The certificate
/// of the server is changed before it is signed.
async fn serve_https(
    server: SocketAddr,
    authority: &Path,
    change: fn(&mut CertificateParams),
) -> String {
    let mut root = CertificateParams::new([]).unwrap();
    root.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let root_key = KeyPair::generate().unwrap();
    fs::write(authority, root.self_signed(&root_key).unwrap().pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::new(["localhost".to_owned()]).unwrap();
    change(&mut leaf);
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
    let url = serve_https(server.address(), &authority, |_| ()).await;
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
    assert_eq!(server.journal().requests().len(), sent);
}

/// Messages of rustls contain names of its types.
#[tokio::test]
async fn a_problem_of_tls_is_described_in_words() {
    let server = MockServer::start().await;
    let directory = TempDir::new().unwrap();
    let authority = directory.path().join("authority.pem");
    let changes: [(fn(&mut CertificateParams), _); 3] = [
        (
            |it| it.not_after = date_time_ymd(2001, 1, 1),
            ": it has expired",
        ),
        (
            |it| it.subject_alt_names = vec![SanType::DnsName("example.com".try_into().unwrap())],
            ": it is for another host",
        ),
        (
            |it| it.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained),
            "invalid peer certificate; `openssl s_client` shows it",
        ),
    ];
    let untrusted = serve_https(server.address(), &authority, |_| ()).await;
    check_message(&untrusted, None, ": no trusted authority").await;
    let plain = server.uri().replace("http:", "https:");
    check_message(&plain, Some(&authority), "is not TLS").await;
    for (change, expected) in changes {
        let url = serve_https(server.address(), &authority, change).await;
        check_message(&url, Some(&authority), expected).await;
    }
}

async fn check_message(url: &str, authority: Option<&Path>, expected: &str) {
    let mut command = program(url);
    command.env("PROFILE_API_KEY", "sk_a_key_of_a_test");
    if let Some(authority) = authority {
        command.env("SSL_CERT_FILE", authority);
    }
    let (code, _, stderr) = learn(command).await;
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains(expected), "{expected}: {stderr}");
    let words = stderr.split(|c: char| !c.is_alphanumeric());
    let is_name = |word: &&str| {
        let has_upper = word.chars().skip(1).any(char::is_uppercase);
        has_upper && word.chars().any(char::is_lowercase)
    };
    assert_eq!(words.filter(is_name).collect::<String>(), "", "{stderr}");
}
