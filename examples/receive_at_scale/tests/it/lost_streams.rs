//! The streams are lost, or belong to somebody else.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::{self, stream};
use receive_at_scale::{DeadLetter, Event, Queue, RetryPolicy, StoreError, work};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::hang_ups::line;
use crate::load::{program, until};
use crate::local_broker::LocalBroker;
use crate::{open, settings, start_broker, start_broker_with};

const DEADLINE: Duration = Duration::from_secs(60);
const USER: [&str; 4] = ["--user", "ada", "--pass", "secret"];

/// Gives up at once.
const NO_RETRY: RetryPolicy = RetryPolicy {
    first_delay: Duration::from_millis(10),
    max_delay: Duration::from_millis(10),
    max_attempts: 1,
};

async fn context(broker: &LocalBroker) -> jetstream::Context {
    jetstream::new(async_nats::connect(broker.url()).await.unwrap())
}

async fn delete_stream(broker: &LocalBroker, name: &str) {
    let deleted = context(broker).await.delete_stream(name).await.unwrap();
    assert!(deleted.success);
}

/// Stores an event, which takes as many attempts as it needs, like those of a load balancer.
async fn publish(queue: &Queue, body: &str) {
    let stored = async {
        while let Err(error) = queue.publish(body.to_owned().into(), None, None).await {
            assert!(
                matches!(error, StoreError::NotStored(_) | StoreError::Unconfirmed),
                "{error}"
            );
        }
    };
    timeout(DEADLINE, stored).await.unwrap();
}

/// The identities and bodies of events.
type Events = Arc<Mutex<Vec<(String, String)>>>;

/// Starts a worker that collects the identities and bodies of events.
fn collect(queue: &Queue) -> (Events, JoinHandle<()>) {
    let events = Events::default();
    let (queue, handled) = (queue.clone(), events.clone());
    let handle = move |event: Event| {
        let body = String::from_utf8(event.body.to_vec()).unwrap();
        handled.lock().unwrap().push((event.identity(), body));
        async { Ok(()) }
    };
    let forever = std::future::pending();
    let working = async move {
        work(&queue, "collector", RetryPolicy::default(), handle, forever).await;
    };
    (events, tokio::spawn(working))
}

#[derive(Debug, Clone, Copy)]
enum Loss {
    Deleted,
    Data,
    DataWithPassword,
}

/// A new stream counts from 1: the worker must not take its events for those that it has handled.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_handles_the_events_of_a_new_stream() {
    for loss in [Loss::Deleted, Loss::Data, Loss::DataWithPassword] {
        let arguments = match loss {
            Loss::Deleted | Loss::Data => &[][..],
            Loss::DataWithPassword => &USER,
        };
        let mut broker = or_skip!(start_broker_with(arguments).await);
        let mut settings = settings(&broker.url());
        if !arguments.is_empty() {
            settings.nats_user = Some("ada".to_owned());
            settings.nats_password = "secret".to_owned();
        }
        let queue = Queue::open(settings).await.unwrap();
        let (events, worker) = collect(&queue);
        let handled = || events.lock().unwrap().len();
        for life in 1..=3 {
            for index in 0..20 {
                publish(&queue, &format!("{life} {index}")).await;
            }
            until(async || handled() >= 20 * life).await;
            match loss {
                Loss::Deleted => delete_stream(&broker, "PROFILE_EVENTS").await,
                Loss::Data | Loss::DataWithPassword => {
                    broker.restart_without_data(arguments).await.unwrap();
                }
            }
        }
        worker.abort();
        let events = events.lock().unwrap();
        let bodies: BTreeSet<_> = events.iter().map(|(_, body)| body).collect();
        let identities: BTreeSet<_> = events.iter().map(|(identity, _)| identity).collect();
        assert_eq!((bodies.len(), identities.len()), (60, 60), "{loss:?}");
    }
}

/// An acknowledgement contains only the sequence number.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_handler_does_not_acknowledge_an_event_of_a_new_stream() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    let [old, new] = [(); 2].map(|()| Arc::new(Semaphore::new(0)));
    let (sender, mut calls) = mpsc::unbounded_channel();
    let handle = {
        let (old, new) = (old.clone(), new.clone());
        move |event: Event| {
            let body = String::from_utf8(event.body.to_vec()).unwrap();
            sender.send(body.clone()).unwrap();
            let (old, new) = (old.clone(), new.clone());
            async move {
                match body.as_str() {
                    "old" => {
                        old.acquire().await?.forget();
                        Ok(())
                    }
                    "new" => {
                        new.acquire().await?.forget();
                        Err("not now".into())
                    }
                    _ => Ok(()),
                }
            }
        }
    };
    let working = {
        let queue = queue.clone();
        let forever = std::future::pending();
        async move { work(&queue, "test", RetryPolicy::default(), handle, forever).await }
    };
    let worker = tokio::spawn(working);
    let mut call = async || timeout(DEADLINE, calls.recv()).await.unwrap().unwrap();
    publish(&queue, "old").await;
    assert_eq!(call().await, "old");
    delete_stream(&broker, "PROFILE_EVENTS").await;
    publish(&queue, "new").await;
    assert_eq!(call().await, "new");

    old.add_permits(1);
    // Handled and acknowledged after the old event.
    publish(&queue, "marker").await;
    assert_eq!(call().await, "marker");
    until(async || {
        queue
            .backlog("test")
            .await
            .is_ok_and(|backlog| backlog.unfinished == 1)
    })
    .await;
    new.add_permits(1);
    assert_eq!(
        call().await,
        "new",
        "an event whose handler fails is redelivered"
    );
    worker.abort();
}

/// Starts a worker that fails while `is_down`, and sends the bodies that it handles.
fn start_failing(
    queue: &Queue,
    is_down: &Arc<AtomicBool>,
) -> (mpsc::UnboundedReceiver<String>, JoinHandle<()>) {
    let (sender, handled) = mpsc::unbounded_channel();
    let is_down = is_down.clone();
    let handle = move |event: Event| {
        let body = String::from_utf8(event.body.to_vec()).unwrap();
        let result = match is_down.load(Ordering::Relaxed) {
            true => Err("the database is down".into()),
            false => {
                sender.send(body).unwrap();
                Ok(())
            }
        };
        async { result }
    };
    let queue = queue.clone();
    let forever = std::future::pending();
    let working = async move { work(&queue, "test", NO_RETRY, handle, forever).await };
    (handled, tokio::spawn(working))
}

/// Waits for a dead letter with this number.
async fn letter(queue: &Queue, number: u64) -> DeadLetter {
    let mut found = None;
    until(async || {
        found = queue.dead_letter("test", number).await.ok().flatten();
        found.is_some()
    })
    .await;
    found.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_letter_of_a_new_stream_is_replayed() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    let is_down = Arc::new(AtomicBool::new(true));
    let (mut handled, worker) = start_failing(&queue, &is_down);
    let mut former = None;
    for body in ["1", "2"] {
        publish(&queue, body).await;
        let letter = letter(&queue, 1).await;
        is_down.store(false, Ordering::Relaxed);
        queue.replay(&letter).await.unwrap();
        let replayed = timeout(DEADLINE, handled.recv()).await.unwrap();
        assert_eq!(replayed.as_deref(), Some(body));
        // Within the window, a replay that is repeated stores nothing.
        queue.replay(&letter).await.unwrap();
        is_down.store(true, Ordering::Relaxed);
        delete_stream(&broker, "PROFILE_DEAD_LETTERS").await;
        former = Some(letter);
    }
    publish(&queue, "3").await;
    let last = letter(&queue, 1).await;
    queue.replay(&former.unwrap()).await.unwrap();
    let found = queue.dead_letter("test", 1).await.unwrap();
    assert_eq!(found, Some(last), "another letter has this number by now");

    delete_stream(&broker, "PROFILE_EVENTS").await;
    publish(&queue, "4").await;
    assert_eq!(letter(&queue, 2).await.body, "4");
    worker.abort();
}

/// Creates a stream that stores the events instead.
async fn create_another_stream(broker: &LocalBroker, subject: &str) -> stream::Stream {
    let config = stream::Config {
        name: "OTHER".to_owned(),
        subjects: vec![subject.to_owned()],
        ..stream::Config::default()
    };
    context(broker).await.create_stream(config).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_ends_if_another_stream_has_the_subject() {
    for subject in ["profile.>", "profile.events", "profile.dead.mailer", ">"] {
        let broker = or_skip!(start_broker().await);
        create_another_stream(&broker, subject).await;
        for command in ["receive", "work"] {
            let mut program = program(command, &broker.url(), "1");
            program
                .env("PROFILE_WEBHOOK_SECRET", "secret")
                .env("LISTEN", "127.0.0.1:0")
                .stderr(Stdio::piped());
            let output = timeout(DEADLINE, program.output()).await.unwrap().unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success());
            assert!(
                error.contains("subjects overlap with an existing stream"),
                "{error}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_another_stream_would_store_is_rejected() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    for name in ["PROFILE_EVENTS", "PROFILE_DEAD_LETTERS"] {
        delete_stream(&broker, name).await;
    }
    let mut other = create_another_stream(&broker, "profile.>").await;
    let error = queue.publish("{}".into(), None, None).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotStored(_)), "{error}");
    assert!(
        error.to_string().contains("expected stream does not match"),
        "{error}"
    );
    assert_eq!(other.info().await.unwrap().state.messages, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_new_logs_how_many_events_it_handles() {
    let broker = or_skip!(start_broker().await);
    let queue = open(&broker.url()).await.unwrap();
    for body in ["1", "2"] {
        publish(&queue, body).await;
    }
    let mut worker = program("work", &broker.url(), "1");
    let mut worker = worker.stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(worker.stderr.take().unwrap()).lines();
    let expected = r#""message":"the worker is new, and handles all stored events","worker":"printer","events":2"#;
    line(&mut log, expected).await;
    let empty = async || {
        queue
            .backlog("printer")
            .await
            .is_ok_and(|backlog| backlog.unfinished + backlog.waiting == 0)
    };
    until(empty).await;
    let stream = context(&broker)
        .await
        .get_stream("PROFILE_EVENTS")
        .await
        .unwrap();
    stream.delete_consumer("printer").await.unwrap();
    line(&mut log, expected).await;
    until(empty).await;

    delete_stream(&broker, "PROFILE_EVENTS").await;
    let expected = r#""message":"created missing streams; their events are lost","streams":"[\"PROFILE_EVENTS\"]""#;
    line(&mut log, expected).await;
    worker.kill().await.unwrap();
}
