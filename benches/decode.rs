//! Time to decode profiles with a title of an unexpected type in each link.

#![allow(missing_docs, reason = "Criterion's macros generate public functions")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark fails at the first unexpected value"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use profile_sdk::Profile;
use serde_json::{Value, json};

const LINKS: [usize; 3] = [40, 400, 4000];

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.sample_size(10);
    for links in LINKS {
        for (name, has_title) in [("a number as title", true), ("no title", false)] {
            let link = |id: usize| {
                let title = if has_title { json!(id) } else { Value::Null };
                json!({"id": id, "title": title, "url": "https://example.org"})
            };
            let profile = json!({"links": (0..links).map(link).collect::<Vec<_>>()}).to_string();
            group.throughput(Throughput::Elements(links as u64));
            group.bench_function(BenchmarkId::new(name, links), |bencher| {
                bencher.iter(|| Profile::from_json(black_box(&profile)).unwrap());
            });
        }
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
