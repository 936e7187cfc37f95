//! Tests of the client with the reference service over real sockets.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at the first unexpected value"
)]

mod accounts;
mod apply;
#[cfg(feature = "tower")]
mod apply_properties;
#[cfg(feature = "blocking")]
mod blocking;
mod builder;
mod calls;
#[cfg(feature = "tower")]
mod canned_client;
mod cases;
mod clock;
mod closed_connections;
mod compression;
mod configuration;
mod crowd;
mod dialects;
mod documentation;
mod errors;
mod every_call;
mod faults;
mod futures;
#[cfg(all(feature = "http2", any(feature = "__rustls", feature = "native-tls")))]
mod goaway;
#[cfg(all(feature = "http2", any(feature = "__rustls", feature = "native-tls")))]
mod http2;
#[cfg(feature = "tower")]
mod json;
#[cfg(feature = "tower")]
mod layers;
mod limits;
mod me;
mod mocked_service;
mod network;
mod paths;
mod plan;
#[cfg(feature = "tower")]
mod properties;
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
mod proxy;
mod rate_limit;
mod raw_call;
mod retries;
mod secrets;
mod shapes;
#[cfg(feature = "testing")]
mod testing;
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
mod tls;
#[cfg(feature = "tracing")]
mod tracing;
#[cfg(all(feature = "testing", feature = "tower"))]
mod unpolled;
#[cfg(feature = "tower")]
mod unreliable_network;
#[cfg(all(
    feature = "http2",
    feature = "tower",
    any(feature = "__rustls", feature = "native-tls")
))]
mod until;
mod writes;

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, ServiceHandle};
use profile_sdk::{ApiKey, Client, ClientBuilder};

use crate::clock::SkippingClock;
use crate::mocked_service::Service;

/// Creates a client with a key.
#[track_caller]
fn connect(service: &impl Service, key: &str) -> Client {
    let builder = client_builder(service).api_key(ApiKey::new(key).unwrap());
    builder.build().unwrap()
}

/// Creates a client with all scopes.
#[track_caller]
fn connect_as_owner(service: &impl Service) -> Client {
    connect(service, service.key())
}

/// Creates a client of a service that accepts any key.
#[track_caller]
fn connect_to(uri: &str) -> Client {
    let builder = client_builder_for(uri).api_key(ApiKey::new("key").unwrap());
    builder.build().unwrap()
}

/// Returns a builder for a client with all scopes, whose waits end at once.
fn owner_builder(service: &impl Service) -> ClientBuilder {
    client_builder(service).api_key(ApiKey::new(service.key()).unwrap())
}

/// Returns a builder for a client without a key, whose waits end at once.
fn client_builder(service: &impl Service) -> ClientBuilder {
    client_builder_for(&service.base_url())
}

/// Returns the same builder for any base URL.
fn client_builder_for(uri: &str) -> ClientBuilder {
    Client::builder()
        .base_url(uri)
        .clock(SkippingClock::default())
}

#[track_caller]
fn add_fault(service: &ServiceHandle, rule: FaultRule) {
    service.add_fault(rule).unwrap();
}

/// Returns a rule for all requests with a method.
fn fault_on(method: &str, fault: Fault) -> FaultRule {
    FaultRule::new(fault).matching(RequestPattern::any().method(method))
}

/// Returns the number of requests that the service has received.
fn requests(service: &ServiceHandle) -> usize {
    service.journal().requests().len()
}
