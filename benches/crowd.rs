//! Many tasks that share a client of a service with a limit of 10 requests per second, compared with
//! a client written by hand.
//!
//! `cargo bench -p benches --bench crowd` prints the table. The client written by hand retries
//! three times after a 429, as long as `Retry-After` says. With `governor` or `request_interval`, a
//! client also limits itself to 10 requests per second, which it has to know.

#![allow(clippy::print_stdout, reason = "this program prints a table")]

mod limited_service;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use governor::{DefaultDirectRateLimiter, Quota};
use profile_sdk::Client;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::limited_service::LimitedService;

const CLIENTS: [&str; 4] = [
    "profile-sdk",
    "profile-sdk, `request_interval`",
    "hand-written",
    "hand-written, `governor`",
];

/// The number of tasks, and of calls of each task.
type Crowd = (u32, u32);

#[derive(Clone)]
enum Caller {
    Sdk(Client),
    Hand(HandWritten),
}

#[derive(Clone)]
struct HandWritten {
    http: reqwest::Client,
    url: String,
    limiter: Option<Arc<DefaultDirectRateLimiter>>,
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    println!("| 200 calls, 10 per second | client | requests | lost | seconds |");
    println!("|---|---|---|---|---|");
    let rows = runtime.block_on(async {
        let mut rows = JoinSet::new();
        for has_headers in [true, false] {
            for crowd in [(200, 1), (20, 10)] {
                for client in CLIENTS {
                    rows.spawn(measure(client, crowd, has_headers));
                }
            }
        }
        rows.join_all().await
    });
    let mut rows: Vec<_> = rows;
    rows.sort_unstable();
    for row in rows {
        println!("{row}");
    }
}

/// Lets a crowd make its calls. Returns a row of the table.
async fn measure(name: &str, (tasks, calls): Crowd, has_headers: bool) -> String {
    let service = LimitedService::start(has_headers);
    let caller = Caller::new(name, &service.base_url);
    let (start, mut crowd) = (Instant::now(), JoinSet::new());
    for _ in 0..tasks {
        let caller = caller.clone();
        crowd.spawn(async move {
            let mut lost = 0;
            for _ in 0..calls {
                lost += u32::from(!caller.call().await);
            }
            lost
        });
    }
    let lost: u32 = crowd.join_all().await.into_iter().sum();
    let seconds = start.elapsed().as_secs_f64();
    let headers = if has_headers { "" } else { ", no headers" };
    let requests = service.requests();
    format!("| {tasks} tasks{headers} | {name} | {requests} | {lost} | {seconds:.1} |")
}

impl Caller {
    fn new(name: &str, base_url: &str) -> Self {
        if name.starts_with("profile-sdk") {
            let mut builder = Client::builder().base_url(base_url);
            if name.contains("request_interval") {
                builder = builder.request_interval(Duration::from_millis(100));
            }
            return Self::Sdk(builder.build().expect("a client"));
        }
        let per_second = NonZeroU32::new(10).expect("ten is not zero");
        let limiter = DefaultDirectRateLimiter::direct(Quota::per_second(per_second));
        Self::Hand(HandWritten {
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(Duration::from_secs(30))
                .tls_backend_preconfigured(no_tls())
                .build()
                .expect("a client"),
            url: format!("{base_url}/api/v1/badges"),
            limiter: name.contains("governor").then(|| Arc::new(limiter)),
        })
    }

    /// Returns `true` if the call succeeds.
    async fn call(&self) -> bool {
        match self {
            Self::Sdk(client) => client.badges().await.is_ok(),
            Self::Hand(client) => client.call().await,
        }
    }
}

impl HandWritten {
    async fn call(&self) -> bool {
        for _ in 0..4 {
            if let Some(limiter) = &self.limiter {
                limiter.until_ready().await;
            }
            let Ok(response) = self.http.get(&self.url).send().await else {
                return false;
            };
            if response.status() != 429 {
                return response.status().is_success();
            }
            let seconds = response.headers().get("retry-after");
            let seconds = seconds.and_then(|text| text.to_str().ok()?.parse().ok());
            tokio::time::sleep(Duration::from_secs(seconds.unwrap_or(1))).await;
        }
        false
    }
}

/// The service is on the local machine.
fn no_tls() -> rustls::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default TLS versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}
