//! Time to verify a delivery, compared with bare `hmac` and `sha2` and with `standardwebhooks`.

#![allow(missing_docs, reason = "Criterion's macros generate public functions")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark fails at the first unexpected value"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::Sha256;
use standardwebhooks::Webhook;
use webhook_verify::{EventKind, Headers, Secret, SignedRequest, Verifier};

const SECRET: [u8; 32] = *b"0123456789abcdef0123456789abcdef";
const SIZES: [usize; 4] = [256, 2 * 1024, 64 * 1024, 1024 * 1024];

fn verify(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("verify");
    for size in SIZES {
        let body = vec![b'x'; size];
        group.throughput(Throughput::Bytes(size as u64));

        let keyed = Hmac::<Sha256>::new_from_slice(&SECRET).unwrap();
        let digest = keyed.clone().chain_update(&body).finalize().into_bytes();
        group.bench_function(BenchmarkId::new("bare hmac and sha2", size), |bencher| {
            bencher.iter(|| {
                let mac = black_box(&keyed).clone().chain_update(black_box(&body));
                mac.verify_slice(black_box(&digest)).unwrap();
            });
        });

        let headers = delivery_headers(&body);
        let verifier = Verifier::new(Secret::new(SECRET).unwrap());
        group.bench_function(BenchmarkId::new("webhook-verify", size), |bencher| {
            bencher.iter(|| {
                let headers = Headers::new(black_box(&headers));
                verifier.verify(headers, black_box(&body[..])).unwrap()
            });
        });

        let webhook = Webhook::from_bytes(SECRET.to_vec()).unwrap();
        let headers = standard_headers(&webhook, &body);
        group.bench_function(BenchmarkId::new("standardwebhooks", size), |bencher| {
            bencher.iter(|| {
                webhook
                    .verify(black_box(&body), black_box(&headers))
                    .unwrap()
            });
        });
    }
    group.finish();
}

/// Returns the headers of a typical delivery over HTTP/1.1.
fn delivery_headers(body: &[u8]) -> HeaderMap {
    let request = SignedRequest::post("/hooks", body)
        .event_kind(EventKind::PostLiked)
        .sign(&Secret::new(SECRET).unwrap())
        .unwrap();
    let mut headers = request.into_parts().0.headers;
    add_common_headers(&mut headers, body.len());
    headers
}

fn standard_headers(webhook: &Webhook, body: &[u8]) -> HeaderMap {
    let unix_time = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let now = i64::try_from(unix_time).unwrap();
    let signature = webhook.sign("delivery_1", now, body).unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", "delivery_1".parse().unwrap());
    headers.insert("webhook-timestamp", now.to_string().parse().unwrap());
    headers.insert("webhook-signature", signature.parse().unwrap());
    headers.insert("content-type", "application/json".parse().unwrap());
    add_common_headers(&mut headers, body.len());
    headers
}

fn add_common_headers(headers: &mut HeaderMap, length: usize) {
    headers.insert("host", "127.0.0.1:8080".parse().unwrap());
    headers.insert("accept", "*/*".parse().unwrap());
    headers.insert("content-length", length.into());
}

criterion_group!(benches, verify);
criterion_main!(benches);
