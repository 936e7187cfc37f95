//! Settings of the stream and the connection.

use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use receive_at_scale::{Event, Queue, RetryPolicy, work};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::load::{program, receiver};
use crate::{DEADLINE, child, command, open, run, settings, start_broker, start_broker_with};

const README: &str = include_str!("../../README.md");

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

/// The user and password in the URL, those in variables, and the result.
#[tokio::test]
async fn logs_in_with_the_url_or_with_variables() {
    let user = ["--user", "a@da", "--pass", "p@ss"];
    let broker = or_skip!(start_broker_with(&user).await);
    let token = or_skip!(start_broker_with(&["--auth", "t@ken"]).await);
    for (broker, in_url, user, password, is_accepted) in [
        (&broker, "", None, "", false),
        (&broker, "", Some("a@da"), "p@ss", true),
        (&broker, "a%40da:p%40ss@", None, "", true),
        (&broker, "a%40da:p%40ss@", Some("bob"), "", false),
        (&broker, "bob:wrong@", Some("a@da"), "p@ss", true),
        (&broker, "a%40da:wrong@", None, "p@ss", true),
        (&broker, "a%40da@", None, "p@ss", true),
        (&broker, "a%40da@", None, "", false),
        (&token, "t%40ken@", None, "", true),
        (&token, "token@", None, "", false),
    ] {
        let url = broker.url().replace("//", &format!("//{in_url}"));
        let mut settings = settings(&url);
        settings.nats_user = user.map(str::to_owned);
        settings.nats_password = password.to_owned();
        match Queue::open(settings).await {
            Ok(_) => assert!(is_accepted, "{url} {user:?}"),
            Err(error) => assert!(error.is_refusal() && !is_accepted, "{url} {user:?} {error}"),
        }
    }
}

/// Returns the names of all variables.
fn variables() -> impl Iterator<Item = &'static str> {
    let (_, table) = README.split_once("| variable |").unwrap();
    let rows = table.lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with("| "));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`'));
    let names = names.filter(|name| name.contains(char::is_alphabetic));
    assert!(names.clone().count() > 10);
    names
}

/// Compose and Helm set variables without a value to an empty text.
#[tokio::test]
async fn optional_variables_that_are_empty_count_as_unset() {
    let broker = or_skip!(start_broker().await);
    for name in variables().filter(|name| *name != "NATS_URL") {
        let is_required = name == "PROFILE_WEBHOOK_SECRET";
        let mut receiver = receiver(&broker.url(), "1");
        receiver.env(name, "").stderr(Stdio::piped());
        let mut receiver = receiver.spawn().unwrap();
        let mut lines = BufReader::new(receiver.stdout.take().unwrap()).lines();
        let line = timeout(DEADLINE, lines.next_line()).await.unwrap().unwrap();
        receiver.kill().await.unwrap();
        let mut error = String::new();
        let mut stderr = receiver.stderr.take().unwrap();
        stderr.read_to_string(&mut error).await.unwrap();
        // Another process may listen on the default port.
        let is_started = line.is_some() || error.contains("127.0.0.1:8080");
        assert_eq!(is_started, !is_required, "{name}: {error}");
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_used_is_named_with_its_variable() {
    let used = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let used = used.local_addr().unwrap().to_string();
    for variable in ["LISTEN", "METRICS_LISTEN"] {
        for address in ["8080", "127.0.0.1:x", &used] {
            let mut receiver = receiver("nats://127.0.0.1:1", "1");
            receiver.env(variable, address).stderr(Stdio::piped());
            let output = timeout(DEADLINE, receiver.output()).await.unwrap().unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            let expected = format!("{variable}: could not listen on \"{address}\": ");
            assert!(
                !output.status.success() && error.starts_with(&expected),
                "{error}"
            );
        }
    }
}

/// Two deployments share nothing: 20 events, 10 each.
#[tokio::test]
async fn deployments_with_different_prefixes_share_one_broker() {
    let broker = or_skip!(start_broker().await);
    let handled = ["profile", "orders"].map(async |prefix| {
        let mut settings = settings(&broker.url());
        settings.stream_prefix = prefix.to_owned();
        let queue = Queue::open(settings).await.unwrap();
        for index in 0..10 {
            // The same keys in both.
            let key = Some(index.to_string());
            let stored = queue.publish(prefix.into(), key, None).await.unwrap();
            assert!(!stored.duplicate);
        }
        let (sender, mut events) = mpsc::unbounded_channel();
        let handle = move |event: Event| {
            sender.send(event.body).unwrap();
            async { Err("always".into()) }
        };
        let once = RetryPolicy {
            max_attempts: 1,
            ..RetryPolicy::default()
        };
        let stop = async {
            while queue
                .backlog("printer")
                .await
                .ok()
                .map(|backlog| backlog.dead_letters)
                != Some(10)
            {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let working = work(&queue, "printer", once, handle, stop);
        timeout(DEADLINE, working).await.unwrap();
        for _ in 0..10 {
            assert_eq!(events.recv().await.unwrap(), prefix);
        }
        assert!(events.try_recv().is_err());
    });
    futures_util::future::join_all(handled).await;
}

/// Receivers and workers wait for a permission; each denial is a line in the log.
#[tokio::test]
async fn a_missing_permission_is_logged() {
    let folder = tempfile::TempDir::new().unwrap();
    let config = folder.path().join("broker.conf");
    let permissions = r#"authorization { users: [{ user: ada, password: secret, permissions: {
        publish: { deny: ["$JS.API.STREAM.CREATE.>", "$JS.API.STREAM.INFO.>"] } } }] }"#;
    std::fs::write(&config, permissions).unwrap();
    let broker = or_skip!(start_broker_with(&["--config", config.to_str().unwrap()]).await);
    for command in ["receive", "work", "dead"] {
        let mut process = program(command, &broker.url(), "1")
            .env("NATS_URL", broker.url().replace("//", "//ada:secret@"))
            .envs([SECRET, LISTEN])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let denied = async {
            loop {
                let line = log.next_line().await.unwrap().expect("the program logs it");
                assert!(!line.contains("secret"), "{line}");
                if line.contains("Permissions Violation for Publish to") {
                    break;
                }
            }
        };
        timeout(DEADLINE, denied).await.expect(command);
    }
}

/// A single server refuses three replicas of a new stream, and seems to accept them for an existing one.
#[tokio::test]
async fn a_receiver_reports_replicas_that_a_single_server_does_not_store() {
    let broker = or_skip!(start_broker().await);
    let receive = || {
        let mut receiver = receiver(&broker.url(), "3");
        receiver.stderr(Stdio::piped());
        receiver
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
    if broker.loses_events() {
        let line = timeout(DEADLINE, log.next_line()).await.unwrap();
        let line = line.unwrap().unwrap();
        assert!(line.contains("can lose acknowledged events"), "{line}");
    }
}

const SECRET: (&str, &str) = ("PROFILE_WEBHOOK_SECRET", "secret");
const LISTEN: (&str, &str) = ("LISTEN", "127.0.0.1:0");

#[tokio::test]
async fn the_program_rejects_invalid_settings() {
    for (name, value, message) in [
        ("NATS_URL", "nats://[", "--nats-url"),
        ("STREAM_MAX_AGE", "0", "600..=9223372036"),
        ("STREAM_MAX_AGE", "18446744674", "600..=9223372036"),
        ("STREAM_MAX_BYTES", "-2", "-2 is not in -1.."),
        ("STREAM_REPLICAS", "0", "1..=5"),
        ("STREAM_REPLICAS", "9223372036854775808", "1..=5"),
        ("EVENT_KEY", "data.id", "expected `none`, `digest`"),
        ("LOG_LEVEL", "debug", "--log-level"),
        ("STREAM_PREFIX", "a.b", "--stream-prefix"),
        ("STREAM_PREFIX", "A", "--stream-prefix"),
        (
            "NATS_CREDENTIALS",
            "/no",
            "certificate: NATS_CREDENTIALS: /no: ",
        ),
        (
            "NATS_CREDENTIALS",
            "/dev/null",
            "NATS_CREDENTIALS: /dev/null: ",
        ),
        (
            "NATS_ROOT_CERTIFICATE",
            "/no",
            "NATS_ROOT_CERTIFICATE: /no: ",
        ),
        (
            "NATS_ROOT_CERTIFICATE",
            "/dev/null",
            "CERTIFICATE: /dev/null: ",
        ),
        (
            "PROFILE_WEBHOOK_SECRET_BEFORE",
            " ",
            "PROFILE_WEBHOOK_SECRET_BEFORE: the webhook secret",
        ),
        (
            "PROFILE_WEBHOOK_SECRET",
            "\u{feff}",
            "PROFILE_WEBHOOK_SECRET starts with a byte order mark, which is not used\n\
             PROFILE_WEBHOOK_SECRET: the webhook secret is empty",
        ),
    ] {
        let variables = [SECRET, LISTEN, (name, value)];
        let output = run(&["receive"], &variables).await;
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{error}");
        // A message that cannot be written changes nothing else.
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut silent = command(env!("CARGO_BIN_EXE_receive_at_scale"));
        let silent = silent.arg("receive").envs(variables);
        let silent = silent.stderr(full.map_or(Stdio::null(), Stdio::from));
        let status = timeout(DEADLINE, silent.status()).await.unwrap();
        assert_eq!(status.unwrap(), output.status, "{name}");
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
    let not_decoded = OsStr::new("nats://never:printed%ff@127.0.0.1:1");
    let second_invalid = OsStr::new("nats://a,://ada:never printed@b:x");
    let cases = [
        ("NATS_URL", invalid, "NATS_URL"),
        ("NATS_URL", second_invalid, "NATS_URL"),
        ("NATS_URL", not_text, "NATS_URL"),
        ("NATS_URL", not_decoded, "NATS_URL"),
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
        let variables = [SECRET, LISTEN].map(|(name, value)| (name, OsStr::new(value)));
        let variables = [&variables[..], &[(name, value)]].concat();
        let output = run(&["receive"], &variables).await;
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

#[test]
fn usage_errors_are_visible() {
    child::usage_errors_are_visible(&["--streams", "receive"], |arguments| {
        let mut program = child::command(env!("CARGO_BIN_EXE_receive_at_scale"));
        let output = program.args(arguments).output().unwrap();
        String::from_utf8(output.stderr).unwrap().replace('…', "")
    });
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
        let error = run(arguments, &[SECRET]).await.stderr;
        let error = String::from_utf8(error).unwrap();
        let is_hidden = error.contains(message) && !error.contains("never");
        assert!(is_hidden, "{error}");
    }
    for (name, url) in variables().flat_map(|name| [(name, url), (name, "nats://ada%3Anever%40[")])
    {
        // An invalid address ends the program after everything else.
        let variables = [SECRET, LISTEN, ("METRICS_LISTEN", "invalid"), (name, url)];
        let error = run(&["receive"], &variables).await.stderr;
        let error = String::from_utf8(error).unwrap();
        assert!(!error.contains("never"), "{name}: {error}");
    }
    let table = include_str!("../../../../mock-server/tests/shared/urls.tsv");
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let (text, expected) = (row.split('\t').next(), row.split('\t').next_back());
        assert_eq!(text.map(receive_at_scale::shown), expected, "{row}");
    }
    let error = receive_at_scale::QueueSettings::new("nats://ada:never@[");
    assert!(!error.err().unwrap().to_string().contains("never"));
}
