//! The spans of calls, as OpenTelemetry exports them.

use std::collections::BTreeMap;

use mock_server::{Fault, FaultRule, MockServer};
use opentelemetry::trace::{SpanKind, Status, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use profile_sdk::{ApiKey, Client};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

/// Returns the attributes whose names OpenTelemetry defines for HTTP clients.
fn attributes(span: &SpanData) -> BTreeMap<String, String> {
    let attributes = span.attributes.iter();
    let attributes = attributes.map(|pair| (pair.key.to_string(), pair.value.to_string()));
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
    client.delete_link(&"link_99".parse()?).await.unwrap_err();

    let spans = exporter.get_finished_spans()?;
    let [read, deletion] = &spans[..] else {
        panic!("expected one span per call: {spans:?}");
    };
    let port = service.uri().rsplit(':').next().unwrap_or_default();
    let expected = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let common = [("server.address", "127.0.0.1"), ("server.port", port)];
        let pairs = common.iter().chain(pairs);
        pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    assert_eq!((&*read.name, &read.span_kind), ("GET /api/v1/me", &SpanKind::Client));
    assert_eq!(read.status, Status::Unset);
    assert_eq!(
        attributes(read),
        expected(&[
            ("http.request.method", "GET"),
            ("http.request.resend_count", "1"),
            ("http.response.status_code", "200"),
            ("url.template", "/api/v1/me"),
        ])
    );
    assert_eq!(&*deletion.name, "DELETE /api/v1/me/links/{id}");
    assert_eq!(deletion.status, Status::error(""));
    assert_eq!(
        attributes(deletion),
        expected(&[
            ("error.type", "not_found"),
            ("http.request.method", "DELETE"),
            ("http.response.status_code", "404"),
            ("url.template", "/api/v1/me/links/{id}"),
        ])
    );
    Ok(())
}
