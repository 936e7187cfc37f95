//! Settings of the stream and the connection.

use std::time::Duration;

use bytes::Bytes;
use receive_at_scale::{Queue, QueueError, QueueSettings};
use tokio::process::Command;
use tokio::time::timeout;

use crate::{start_broker, start_broker_with};

#[tokio::test]
async fn reports_how_an_existing_stream_differs() {
    let Some(broker) = start_broker().await else {
        return;
    };
    Queue::open(&broker.url()).await.unwrap();
    Queue::open(&broker.url()).await.unwrap();
    let mut settings = QueueSettings::new(broker.url());
    settings.max_age = Duration::from_secs(1800);
    settings.discard_old = true;
    let error = Queue::open_with(settings).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "the stream PROFILE_EVENTS has other settings: discard policy is New, expected Old; \
         max_age is 604800s, expected 1800s; change the settings, or edit the stream"
    );
}

/// A stream of 2,000 bytes has room for one event of 1,500.
#[tokio::test]
async fn a_full_stream_rejects_new_events_or_deletes_old_ones() {
    let event = || Bytes::from(vec![b'x'; 1500]);
    for discard_old in [false, true] {
        let Some(broker) = start_broker().await else {
            return;
        };
        let mut settings = QueueSettings::new(broker.url());
        settings.max_bytes = 2000;
        settings.discard_old = discard_old;
        let queue = Queue::open_with(settings).await.unwrap();
        assert_eq!(
            queue.publish(event(), None, None).await.unwrap().sequence,
            1
        );
        let second = queue.publish(event(), None, None).await;
        match discard_old {
            true => assert_eq!(second.unwrap().sequence, 2),
            false => assert!(
                second
                    .unwrap_err()
                    .to_string()
                    .contains("maximum bytes exceeded")
            ),
        }
        assert!(queue.is_ready().await, "the broker responds");
    }
}

#[tokio::test]
async fn connects_with_the_user_in_the_url() {
    let arguments = ["--user", "ada", "--pass", "p@ss"];
    let Some(broker) = start_broker_with(&arguments).await else {
        return;
    };
    assert!(Queue::open(&broker.url()).await.is_err());
    let url = broker.url().replace("//", "//ada:p%40ss@");
    assert!(Queue::open(&url).await.is_ok());
}

/// The program tries again after other errors.
#[tokio::test]
async fn distinguishes_invalid_settings_from_an_absent_broker() {
    let mut without_credentials = QueueSettings::new("nats://127.0.0.1:1");
    without_credentials.credentials = Some("/nonexistent/nats.creds".into());
    let mut without_certificate = QueueSettings::new("tls://127.0.0.1:1");
    without_certificate.root_certificate = Some("/nonexistent/root.pem".into());
    let invalid = QueueSettings::new("nats://[");
    for settings in [invalid, without_credentials, without_certificate] {
        let error = Queue::open_with(settings).await.err().unwrap();
        assert!(matches!(error, QueueError::Settings { .. }), "{error}");
    }
    let error = Queue::open("nats://127.0.0.1:1").await.err().unwrap();
    assert!(matches!(error, QueueError::Broker { .. }), "{error}");
}

#[tokio::test]
async fn names_the_variable_of_an_invalid_previous_secret() {
    let program = Command::new(env!("CARGO_BIN_EXE_receive_at_scale"))
        .arg("receive")
        .env("PROFILE_WEBHOOK_SECRET", "secret")
        .env("PROFILE_WEBHOOK_SECRET_BEFORE", "")
        .kill_on_drop(true)
        .output();
    let output = timeout(Duration::from_secs(30), program).await.unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.unwrap().stderr),
        "PROFILE_WEBHOOK_SECRET_BEFORE: the webhook secret is empty; \
         pass the secret that the service signs with\n"
    );
}
