//! The spans of calls, as OpenTelemetry exports them.

use std::collections::BTreeMap;

use mock_server::{Fault, FaultRule, MockServer};
use opentelemetry::Value;
use opentelemetry::trace::{SpanKind, Status, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use profile_sdk::{ApiKey, Client};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

/// Returns the attributes whose names OpenTelemetry defines for HTTP clients.
fn attributes(span: &SpanData) -> BTreeMap<&str, Value> {
    let attributes = span.attributes.iter();
    let attributes = attributes.map(|pair| (pair.key.as_str(), pair.value.clone()));
    let is_convention = |name: &str| {
        ["error.", "http.", "server.", "url."]
            .iter()
            .any(|start| name.starts_with(start))
    };
    attributes.filter(|(name, _)| is_convention(name)).collect()
}

#[tokio::test]
async fn spans_follow_the_conventions_for_http_clients() -> Result<(), Box<dyn std::error::Error>> {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(LevelFilter::INFO));
    let _guard = tracing::subscriber::set_default(subscriber);

    let service = MockServer::start().await;
    service.add_fault(FaultRule::new(Fault::status(503)).times(1))?;
    let client = Client::new(service.uri(), ApiKey::new(service.key())?)?;
    client.me().await?;
    let not_found = client.delete_link(&"link_99".parse()?).await.unwrap_err();
    service.add_fault(FaultRule::new(Fault::MalformedJson).times(2))?;
    let unreadable = client.site_stats().await.unwrap_err();
    client.site_stats().send().await.unwrap_err();
    let unreachable = Client::builder()
        .base_url("http://[::1]:1")
        .retry(profile_sdk::RetryPolicy::none())
        .build()?;
    let unreachable = unreachable.site_stats().await.unwrap_err();

    let spans = exporter.get_finished_spans()?;
    let [read, deletion, stats, sent_stats, unsent] = &spans[..] else {
        panic!("expected one span per call: {spans:?}");
    };
    let port: i64 = service.uri().rsplit(':').next().unwrap_or_default().parse()?;
    let expected = |pairs: Vec<(&'static str, Value)>| -> BTreeMap<&str, Value> {
        let common = [("server.address", "127.0.0.1".into()), ("server.port", port.into())];
        common.into_iter().chain(pairs).collect()
    };
    assert_eq!((&*read.name, &read.span_kind), ("GET /api/v1/me", &SpanKind::Client));
    assert_eq!(read.status, Status::Unset);
    assert_eq!(&*deletion.name, "DELETE /api/v1/me/links/{id}");
    assert_eq!(deletion.status, Status::error(not_found.to_string()));
    let unreadable = Status::error(unreadable.to_string());
    assert_eq!([&stats.status, &sent_stats.status], [&unreadable; 2]);
    let resent = ("http.request.resend_count", 1_i64.into());
    let failed = |kind: &'static str| ("error.type", kind.into());
    for (span, method, status, path, further) in [
        (read, "GET", 200, "/api/v1/me", resent),
        (deletion, "DELETE", 404, "/api/v1/me/links/{id}", failed("not_found")),
        (stats, "GET", 200, "/api/v1/stats", failed("unreadable")),
        (sent_stats, "GET", 200, "/api/v1/stats", failed("unreadable")),
    ] {
        let status: i64 = status;
        let expected = expected(vec![
            ("http.request.method", method.into()),
            ("http.response.status_code", status.into()),
            ("url.template", path.into()),
            further,
        ]);
        assert_eq!(attributes(span), expected);
    }
    assert_eq!(unsent.status, Status::error(unreachable.to_string()));
    assert_eq!(attributes(unsent)["server.address"], "::1".into());
    Ok(())
}
