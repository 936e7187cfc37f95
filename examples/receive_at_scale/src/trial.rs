//! Without arguments: a broker, a receiver, a worker and some deliveries, all on this machine.

use std::error::Error;

use mock_server::MockServer;
use mock_server::webhook::EventKind;
use receive_at_scale::{Event, Queue, TrialBroker, by_json_field, routes, work};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use webhook_verify::{Receiver, Secret, Verifier};

const SECRET: &str = "the webhook secret";

pub(crate) async fn run() -> Result<(), Box<dyn Error>> {
    let Some(broker) = TrialBroker::start().await? else {
        eprintln!("skipped: there is no nats-server here; install it, or name it in NATS_SERVER");
        return Ok(());
    };
    let queue = Queue::open(&broker.url()).await?;
    let receiver = Receiver::new(Verifier::new(Secret::new(SECRET)?));
    let app = routes(receiver, queue.clone(), by_json_field("/data/id"), |_| {});
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });

    let (sender, mut handed_on) = mpsc::channel(1);
    let handle = move |event: Event| {
        let sender = sender.clone();
        async move { Ok(sender.send(event).await?) }
    };
    tokio::spawn(async move { work(&queue, "trial", handle, std::future::pending()).await });

    deliver(&url).await?;
    for _ in 0..3 {
        let event = handed_on.recv().await.ok_or("the worker has ended")?;
        println!("handed on: {}", String::from_utf8_lossy(&event.body));
    }
    Ok(())
}

/// Three events, the first of them twice, and one that is forged.
async fn deliver(url: &str) -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    let webhook = service.webhook();
    webhook.point_at(url, SECRET)?;
    for id in 1..=3 {
        let delivery = webhook
            .emit(EventKind::POST_LIKED, json!({"id": id}))
            .await?;
        println!("event {id}: {}", delivery.outcome);
    }
    let first = webhook.deliveries()?.remove(0);
    let again = webhook.redeliver(&first.sent.id).await?;
    println!("event 1 again: {}", again.outcome);

    webhook.point_at(url, "a forger's")?;
    let forged = webhook
        .emit(EventKind::POST_LIKED, json!({"id": 4}))
        .await?;
    println!("forged: {}", forged.outcome);
    Ok(())
}
