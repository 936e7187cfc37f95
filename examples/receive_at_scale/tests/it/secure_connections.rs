//! TLS with a private root certificate, and credentials files.

#[path = "../../../../mock-server/tests/shared/texts.rs"]
mod texts;

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa};
use receive_at_scale::{Queue, QueueSettings};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{settings, start_broker_with};

/// Creates a file and returns its path.
fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn root() -> CertifiedIssuer<'static, rcgen::KeyPair> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, rcgen::KeyPair::generate().unwrap()).unwrap()
}

#[tokio::test]
async fn connects_with_a_private_root_certificate() {
    let (folder, root, other) = (TempDir::new().unwrap(), root(), self::root());
    let key = rcgen::KeyPair::generate().unwrap();
    let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &root).unwrap();
    let certificate = file(&folder, "certificate.pem", &certificate.pem());
    let key = file(&folder, "key.pem", &key.serialize_pem());
    let tls = [
        "--tls",
        "--tlscert",
        text(&certificate),
        "--tlskey",
        text(&key),
    ];
    let user = ["--user", "ada", "--pass", "secret"];
    let broker = or_skip!(start_broker_with(&[&tls[..], &user].concat()).await);

    let mut settings = settings(&broker.url().replace("nats://", "tls://"));
    settings.nats_user = Some("ada".to_owned());
    settings.nats_password = "secret".to_owned();
    let error = Queue::open(settings.clone()).await.err().unwrap();
    assert!(error.to_string().contains("UnknownIssuer"), "{error}");
    settings.nats_root_certificate = Some(file(&folder, "other.pem", &other.pem()));
    assert!(Queue::open(settings.clone()).await.is_err());

    check_marks(&settings, &root.pem(), |settings, path| {
        settings.nats_root_certificate = Some(path);
    })
    .await;
}

/// Checks what comes of a file with this text, which `set` names, written in the ways of the table of small texts.
async fn check_marks(
    settings: &QueueSettings,
    text: &str,
    set: impl Fn(&mut QueueSettings, PathBuf),
) {
    let folder = TempDir::new().unwrap();
    let mut settings = settings.clone();
    let path = file(&folder, "text", "");
    set(&mut settings, path.clone());
    for (bytes, [as_text, _]) in texts::written(text) {
        fs::write(&path, bytes).unwrap();
        let queue = Queue::open(settings.clone()).await;
        match as_text {
            "UTF-16" => {
                let error = queue.err().unwrap().to_string();
                assert!(error.contains("text: it is UTF-16; expected"), "{error}");
            }
            // There may be any bytes around a certificate.
            "not valid" => {}
            _ => {
                let published = queue.unwrap().publish("{}".into(), None, None).await;
                published.unwrap();
            }
        }
    }
}

/// Creates a JSON Web Token as NATS expects it.
fn token(issuer: &KeyPair, subject: &KeyPair, claims: Value) -> String {
    let claims = json!({"iss": issuer.public_key(), "sub": subject.public_key(), "nats": claims});
    let header = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let [header, claims] =
        [header, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string()));
    let signature = issuer
        .sign(format!("{header}.{claims}").as_bytes())
        .unwrap();
    let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
    format!("{header}.{claims}.{signature}")
}

fn credentials(account: &KeyPair, user: &KeyPair) -> String {
    let claims = json!({"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1});
    format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        token(account, user, claims),
        user.seed().unwrap()
    )
}

/// The configuration of a broker that accepts the users of an account.
fn configuration(account: &KeyPair) -> String {
    let (operator, system) = (KeyPair::new_operator(), KeyPair::new_account());
    let limits = [
        "subs",
        "data",
        "payload",
        "imports",
        "exports",
        "conn",
        "leaf",
        "mem_storage",
        "disk_storage",
        "streams",
        "consumer",
    ];
    let limits: Value = limits.into_iter().map(|name| (name, -1)).collect();
    let with_jetstream = json!({"type": "account", "version": 2, "limits": limits});
    let operator_token = token(
        &operator,
        &operator,
        json!({"type": "operator", "version": 2}),
    );
    let without_jetstream = json!({"type": "account", "version": 2});
    let accounts = json!({
        account.public_key(): token(&operator, account, with_jetstream),
        system.public_key(): token(&operator, &system, without_jetstream),
    });
    let system = system.public_key();
    format!(
        "operator: {operator_token}\nsystem_account: {system}\n\
         resolver: MEMORY\nresolver_preload: {accounts}\n"
    )
}

#[tokio::test]
async fn connects_with_a_credentials_file() {
    let (folder, account) = (TempDir::new().unwrap(), KeyPair::new_account());
    let configuration = file(&folder, "nats.conf", &configuration(&account));
    let broker = or_skip!(start_broker_with(&["--config", text(&configuration)]).await);
    let mut settings = settings(&broker.url());
    assert!(Queue::open(settings.clone()).await.is_err());
    let forged = credentials(&KeyPair::new_account(), &KeyPair::new_user());
    settings.nats_credentials = Some(file(&folder, "forged.creds", &forged));
    let error = Queue::open(settings.clone()).await.err().unwrap();
    assert!(
        error.to_string().contains("authorization violation"),
        "{error}"
    );

    let credentials = credentials(&account, &KeyPair::new_user());
    check_marks(&settings, &credentials, |settings, path| {
        settings.nats_credentials = Some(path);
    })
    .await;
}
