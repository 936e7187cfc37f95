//! A call is a future.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use futures_util::stream::{self, StreamExt as _};
use mock_server::MockServer;
use profile_sdk::{ApiKey, Badge, Call, Client, Error, ErrorKind, NewLink};
use tokio::task::JoinSet;

use crate::{connect_as_owner, requests};

#[tokio::test]
async fn a_call_is_a_future_wherever_one_is_required() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    tokio::spawn(client.badges()).await.unwrap().unwrap();
    let mut set = JoinSet::new();
    set.spawn(client.badges());
    set.join_next().await.unwrap().unwrap().unwrap();
    for result in join_all([client.badges(), client.badges()]).await {
        result.unwrap();
    }
    let calls = stream::iter((0..3).map(|_| client.badges()));
    let results: Vec<_> = calls.buffer_unordered(2).collect().await;
    assert!(results.into_iter().all(|result| result.is_ok()));
    let (badges, site) = join(client.badges(), client.site_stats()).await;
    assert!(badges.is_ok() && site.is_ok());
    let timeout = Duration::from_secs(60);
    let badges = tokio::time::timeout(timeout, client.badges()).await;
    badges.unwrap().unwrap();
    tokio::select! {
        badges = client.badges() => assert!(badges.is_ok()),
        () = tokio::time::sleep(timeout) => panic!("timed out"),
    }
    let boxed: Box<dyn Future<Output = Result<Vec<Badge>, Error>> + Send + Sync + Unpin> =
        Box::new(client.badges());
    boxed.await.unwrap();
}

/// Returns a call that has been polled once.
async fn polled_call() -> Call<Vec<Badge>> {
    let service = MockServer::start().await;
    let mut call = connect_as_owner(&service).badges();
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(pin!(&mut call).poll(&mut context), Poll::Pending));
    call
}

#[tokio::test]
#[should_panic = "the call has already been polled"]
async fn setters_panic_on_a_polled_call() {
    let call = polled_call().await;
    drop(call.total_timeout(Duration::ZERO));
}

#[tokio::test]
#[should_panic = "the call has already been polled"]
async fn send_panics_on_a_polled_call() {
    let _ = polled_call().await.send().await;
}

#[tokio::test]
#[should_panic = "the call was polled after it completed"]
async fn a_completed_call_cannot_be_polled() {
    let service = MockServer::start().await;
    let mut call = connect_as_owner(&service).badges();
    (&mut call).await.unwrap();
    let _ = call.await;
}

#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let service = MockServer::start().await;
    let client = Client::new(service.uri(), ApiKey::new(service.key()).unwrap()).unwrap();
    let link = NewLink::new("t", "https://example.org".parse().unwrap());
    for call in [
        client.create_link(&link).total_timeout(Duration::ZERO),
        client.create_link(&link).attempt_timeout(Duration::ZERO),
        client.create_link(&link).deadline(Instant::now()),
    ] {
        let error = call.await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
        assert!(!error.may_have_been_applied() && error.is_retryable());
        let expected = "POST /api/v1/me/links: the request was not sent, because the timeout or the deadline \
                        of the call has passed";
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(requests(&service), 0);
    let later = Instant::now() + Duration::from_secs(60);
    client.create_link(&link).deadline(later).await.unwrap();
}
