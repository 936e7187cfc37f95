//! A cluster of three brokers, of which one and then all are killed.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use receive_at_scale::{EventKey, Queue, StoreError, routes};
use tokio::time::{sleep, timeout};
use tower::ServiceExt;
use webhook_verify::{Receiver, Secret, Verifier};

use crate::local_broker::LocalBroker;
use crate::{settings, start_cluster};

const DEADLINE: Duration = Duration::from_secs(100);

/// The name of the stream of events.
pub(crate) const STREAM: &str = "PROFILE_EVENTS";

/// Returns the URLs of the brokers, separated by commas.
pub(crate) fn urls(brokers: &[LocalBroker]) -> String {
    let urls: Vec<_> = brokers.iter().map(LocalBroker::url).collect();
    urls.join(",")
}

/// Connects with three replicas, once the cluster has a leader.
pub(crate) async fn open(brokers: &[LocalBroker]) -> Queue {
    let mut settings = settings(&urls(brokers));
    settings.stream_replicas = 3;
    loop {
        match Queue::open(settings.clone()).await {
            Ok(queue) => return queue,
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Returns the index of the broker that leads the stream, as soon as this broker knows one.
pub(crate) async fn leader(broker: &LocalBroker) -> usize {
    let client = async_nats::connect(broker.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    loop {
        if let Ok(stream) = context.get_stream(STREAM).await
            && let Some(leader) = stream
                .cached_info()
                .cluster
                .as_ref()
                .and_then(|it| it.leader.as_ref())
        {
            assert_eq!(stream.cached_info().config.num_replicas, 3);
            return leader.parse().unwrap();
        }
        sleep(Duration::from_millis(100)).await;
    }
}

async fn get(queue: &Queue, path: &str) -> u16 {
    let receiver = Receiver::new(Verifier::new(Secret::new("a secret").unwrap()));
    let app = routes(receiver, queue.clone(), EventKey::None);
    let request = Request::get(path).body(Body::empty()).unwrap();
    app.oneshot(request).await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_events_while_one_of_three_brokers_is_dead_and_none_while_two_are() {
    let brokers = or_skip!(start_cluster().await);
    let mut brokers = Vec::from(brokers);
    let test = async {
        let queue = open(&brokers).await;
        queue.publish("before".into(), None, None).await.unwrap();
        assert_eq!(get(&queue, "/ready").await, 200);

        let leader = leader(&brokers[0]).await;
        drop(brokers.remove(leader));
        // The election of a leader may take longer than a delivery waits.
        while queue.publish("after".into(), None, None).await.is_err() {}
        while get(&queue, "/ready").await != 200 {
            sleep(Duration::from_millis(100)).await;
        }

        // One of three cannot store anything.
        brokers.pop();
        let error = queue.publish("lost".into(), None, None).await.unwrap_err();
        assert!(
            matches!(error, StoreError::NotStored(_) | StoreError::Unconfirmed),
            "{error}"
        );

        drop(brokers);
        while get(&queue, "/ready").await == 200 {
            sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(get(&queue, "/ready").await, 503);
        assert_eq!(get(&queue, "/health").await, 200);
    };
    timeout(DEADLINE, test).await.unwrap();
}
