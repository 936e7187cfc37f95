//! Settings of the stream and the connection.

use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use receive_at_scale::Queue;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::load::program;
use crate::{open, settings, start_broker, start_broker_with};

const DEADLINE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn changes_the_settings_of_an_existing_stream() {
    let broker = or_skip!(start_broker().await);
    open(&broker.url()).await.unwrap();
    let mut settings = settings(&broker.url());
    settings.stream_max_age = 1800;
    Queue::open(settings).await.unwrap();
    let client = async_nats::connect(broker.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    for name in ["PROFILE_EVENTS", "PROFILE_DEAD_LETTERS"] {
        let stream = context.get_stream(name).await.unwrap();
        let max_age = stream.cached_info().config.max_age;
        assert_eq!(max_age, Duration::from_secs(1800), "{name}");
    }
}

/// A stream of 2,000 bytes has room for one event of 1,500.
#[tokio::test]
async fn a_full_stream_rejects_new_events() {
    let event = || Bytes::from(vec![b'x'; 1500]);
    let broker = or_skip!(start_broker().await);
    let mut settings = settings(&broker.url());
    settings.stream_max_bytes = 2000;
    let queue = Queue::open(settings).await.unwrap();
    let stored = queue.publish(event(), None, None).await.unwrap();
    assert_eq!(stored.sequence, 1);
    let error = queue.publish(event(), None, None).await.unwrap_err();
    assert!(
        error.to_string().contains("maximum bytes exceeded"),
        "{error}"
    );
    assert!(queue.is_ready().await, "the broker responds");
}

#[tokio::test]
async fn connects_with_a_user() {
    let arguments = ["--user", "ada", "--pass", "p@ss"];
    let broker = or_skip!(start_broker_with(&arguments).await);
    let error = open(&broker.url()).await.err().unwrap();
    assert!(error.is_refusal(), "{error}");
    let mut settings = settings(&broker.url());
    settings.nats_user = Some("ada".to_owned());
    settings.nats_password = "p@ss".to_owned();
    assert!(Queue::open(settings).await.is_ok());
}

#[tokio::test]
async fn names_the_setting_that_cannot_be_read() {
    let mut without_credentials = settings("nats://127.0.0.1:1");
    without_credentials.nats_credentials = Some("/nonexistent/nats.creds".into());
    let mut without_certificate = settings("tls://127.0.0.1:1");
    without_certificate.nats_root_certificate = Some("/nonexistent/root.pem".into());
    for settings in [without_credentials, without_certificate] {
        let error = Queue::open(settings).await.err().unwrap().to_string();
        let expected = "could not read the credentials or the certificate: ";
        assert!(error.starts_with(expected), "{error}");
    }
}

/// A single server refuses three replicas of a new stream, and seems to accept them for an existing one.
#[tokio::test]
async fn a_receiver_reports_replicas_that_a_single_server_does_not_store() {
    let broker = or_skip!(start_broker().await);
    let receive = || {
        let mut program = program("receive", &broker.url(), "3");
        program
            .env("PROFILE_WEBHOOK_SECRET", "secret")
            .env("LISTEN", "127.0.0.1:0")
            .stderr(Stdio::piped());
        program
    };
    let refused = timeout(DEADLINE, receive().output()).await.unwrap();
    let refused = refused.unwrap();
    assert!(!refused.status.success());
    let error = String::from_utf8(refused.stderr).unwrap();
    let expected =
        "could not create or update the stream: jetstream error: replicas > 1 not supported";
    assert!(error.starts_with(expected), "{error}");

    open(&broker.url()).await.unwrap();
    let mut receiver = receive().spawn().unwrap();
    let mut log = BufReader::new(receiver.stderr.take().unwrap()).lines();
    let line = timeout(DEADLINE, log.next_line()).await.unwrap();
    let line = line.unwrap().unwrap();
    let warning = r#""message":"too few servers store the events","servers":1,"replicas":3"#;
    assert!(line.contains(warning), "{line}");
}

#[tokio::test]
async fn the_program_rejects_invalid_settings() {
    for (name, value, message) in [
        ("NATS_URL", "nats://[", "--nats-url"),
        ("STREAM_MAX_AGE", "-1", "--stream-max-age"),
        ("EVENT_KEY", "data.id", "expected `none`, `digest`"),
        ("LOG_LEVEL", "debug", "--log-level"),
        (
            "PROFILE_WEBHOOK_SECRET_BEFORE",
            "",
            "PROFILE_WEBHOOK_SECRET_BEFORE: the webhook secret is empty",
        ),
        (
            "PROFILE_WEBHOOK_SECRET",
            "\u{feff}",
            "PROFILE_WEBHOOK_SECRET starts with a byte order mark, which is not used\n\
             PROFILE_WEBHOOK_SECRET: the webhook secret is empty",
        ),
    ] {
        let program = Command::new(env!("CARGO_BIN_EXE_receive_at_scale"))
            .arg("receive")
            .env("PROFILE_WEBHOOK_SECRET", "secret")
            .env("LISTEN", "127.0.0.1:0")
            .env(name, value)
            .kill_on_drop(true)
            .output();
        let output = timeout(DEADLINE, program).await.unwrap();
        let error = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(error.contains(message), "{error}");
    }
}

/// Messages about a URL with a password, or a value that is not UTF-8, do not contain the value.
#[cfg(unix)]
#[tokio::test]
async fn the_program_does_not_print_invalid_secrets() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let not_text = OsStr::from_bytes(b"never printed \xff");
    let invalid = OsStr::new("nats://ada:never printed@[");
    let second_invalid = OsStr::new("nats://a,://ada:never printed@b:x");
    let cases = [
        ("NATS_URL", invalid, "NATS_URL"),
        ("NATS_URL", second_invalid, "NATS_URL"),
        ("NATS_URL", not_text, "NATS_URL"),
        (
            "NATS_PASSWORD",
            not_text,
            "NATS_PASSWORD is not valid UTF-8",
        ),
        (
            "PROFILE_WEBHOOK_SECRET",
            not_text,
            "PROFILE_WEBHOOK_SECRET: not valid UTF-8",
        ),
        (
            "PROFILE_WEBHOOK_SECRET_BEFORE",
            not_text,
            "PROFILE_WEBHOOK_SECRET_BEFORE: not valid UTF-8",
        ),
    ];
    for (name, value, message) in cases {
        let program = Command::new(env!("CARGO_BIN_EXE_receive_at_scale"))
            .arg("receive")
            .env("PROFILE_WEBHOOK_SECRET", "secret")
            .env("LISTEN", "127.0.0.1:0")
            .env(name, value)
            .kill_on_drop(true)
            .output();
        let output = timeout(DEADLINE, program).await.unwrap().unwrap();
        assert!(!output.status.success(), "{name}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(message), "{error}");
        assert!(
            !error.contains("never") && !error.contains("printed"),
            "{error}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[tokio::test]
async fn usage_errors_do_not_contain_a_password() {
    let url = "nats://ada:never@[";
    for (arguments, message) in [
        (&["--nats-url", url, "receive"][..], "--nats-url"),
        (&[url], "subcommand"),
        (&["receive", url], "argument"),
        (&["receive", "--event-key", url], "value"),
    ] {
        let program = Command::new(env!("CARGO_BIN_EXE_receive_at_scale"))
            .args(arguments)
            .kill_on_drop(true)
            .output();
        let error = timeout(DEADLINE, program).await.unwrap().unwrap().stderr;
        let error = String::from_utf8(error).unwrap();
        assert!(
            error.contains(message) && !error.contains("never"),
            "{error}"
        );
    }
    let error = receive_at_scale::QueueSettings::new("nats://ada:never@[");
    assert!(!error.err().unwrap().to_string().contains("never"));
}
