//! The demo: a broker, a receiver, a worker and some deliveries, all on this machine.

use std::error::Error;

use mock_server::MockServer;
use mock_server::webhook::EventKind;
use receive_at_scale::{Event, LocalBroker, Queue, RetryPolicy, by_json_field, routes, work};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use webhook_verify::{Receiver, Secret, Verifier};

const SECRET: &str = "the webhook secret";

pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let Some(broker) = LocalBroker::start().await? else {
        eprintln!("skipped: nats-server not found; install it, or set NATS_SERVER to its path");
        return Ok(());
    };
    let queue = Queue::open(&broker.url()).await?;
    let receiver = Receiver::new(Verifier::new(Secret::new(SECRET)?));
    let app = routes(receiver, queue.clone(), by_json_field("/data/id"));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });

    let (sender, mut handled) = mpsc::channel(1);
    let handle = move |event: Event| {
        let sender = sender.clone();
        async move { Ok(sender.send(event).await?) }
    };
    tokio::spawn(async move {
        work(
            &queue,
            "demo",
            RetryPolicy::default(),
            handle,
            std::future::pending(),
        )
        .await
    });

    deliver(&url).await?;
    for _ in 0..3 {
        let event = handled.recv().await.ok_or("the worker has ended")?;
        println!("handled: {}", String::from_utf8_lossy(&event.body));
    }
    Ok(())
}

/// Sends three events, the first of them twice, and a forged one.
async fn deliver(url: &str) -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    let webhook = service.webhook();
    webhook.set_receiver(url, SECRET)?;
    for id in 1..=3 {
        let delivery = webhook
            .emit(EventKind::POST_LIKED, json!({"id": id}))
            .await?;
        println!("event {id}: {}", delivery.outcome);
    }
    let first = webhook.deliveries()?.remove(0);
    let duplicate = webhook.redeliver(&first.sent.id).await?;
    println!("event 1 again: {}", duplicate.outcome);

    webhook.set_receiver(url, "another secret")?;
    let forged = webhook
        .emit(EventKind::POST_LIKED, json!({"id": 4}))
        .await?;
    println!("forged: {}", forged.outcome);
    Ok(())
}
