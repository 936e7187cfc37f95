//! The spans and events of the feature `tracing`.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use mock_server::{Fault, FaultRule, MockServer};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::owner_builder;

/// A subscriber that records the name and the fields of every span and event.
#[derive(Clone, Default)]
struct Recorder {
    lines: Arc<Mutex<Vec<String>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!(" {field}={value:?}");
    }
}

impl Recorder {
    fn record_line(&self, metadata: &Metadata<'_>, record: impl FnOnce(&mut Line)) {
        if metadata.target() == "profile_sdk" {
            let mut line = Line(metadata.name().to_owned());
            record(&mut line);
            self.lines.lock().unwrap().push(line.0);
        }
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.record_line(span.metadata(), |line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, fields: &Record<'_>) {
        let mut line = Line("recorded".to_owned());
        fields.record(&mut line);
        self.lines.lock().unwrap().push(line.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.record_line(event.metadata(), |line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn emits_spans_and_events_without_the_key() {
    let service = MockServer::start().await;
    let echo = Fault::status(503).with_body(format!("Bearer {}", service.key()));
    service.add_fault(FaultRule::new(echo).times(1)).unwrap();
    let client = owner_builder(&service).build().unwrap();
    let recorder = Recorder::default();
    // With a single subscriber, `tracing` caches whether the first thread to reach a span is
    // interested, and the threads of other tests are not.
    let _second = tracing::Dispatch::new(recorder.clone());
    let _guard = tracing::subscriber::set_default(recorder.clone());
    client.me().await.unwrap();
    let lines = recorder.lines.lock().unwrap().clone();
    assert!(!lines.join("\n").contains(service.key()), "{lines:?}");
    let is_header = |line: &String| line.contains(" message=> ");
    let (headers, lines): (Vec<_>, Vec<_>) = lines.into_iter().partition(is_header);
    let names = ["accept: application/json", "authorization: [redacted]"];
    for expected in names {
        let expected = format!(" message=> {expected}");
        let sent = headers.iter().filter(|line| line.ends_with(&expected));
        assert_eq!(sent.count(), 2, "{headers:?}");
    }
    let port = service.uri().rsplit(':').next().unwrap();
    let expected = format!(
        "call otel.kind=\"client\" otel.name=GET /api/v1/me http.request.method=\"GET\" \
         url.template=\"/api/v1/me\" server.address=\"127.0.0.1\" server.port={port}"
    );
    assert_eq!(lines[0], expected);
    assert_eq!(lines[1], "attempt number=1");
    assert!(lines[2].contains("attempt 1 begins"));
    assert!(lines[3].contains("attempt 1 failed: GET /api/v1/me: 503"));
    assert!(lines[3].contains("kind=\"service\" error=GET /api/v1/me: 503"));
    assert!(lines[4].contains(" seconds before the next attempt"));
    assert_eq!(lines[5], "attempt number=2");
    assert!(lines[6].contains("attempt 2 begins"));
    assert_eq!(lines[7], "recorded http.response.status_code=200");
    let call = client.delete_post(&"post_99".parse().unwrap());
    call.await.unwrap_err();
    let end = |count: usize| {
        let mut lines = recorder.lines.lock().unwrap();
        let start = lines.len() - count;
        lines.split_off(start)
    };
    assert_eq!(
        end(4),
        [
            "recorded http.response.status_code=404",
            "recorded error.type=\"not_found\"",
            "recorded otel.status_code=\"ERROR\"",
            "recorded otel.status_description=DELETE /api/v1/me/posts/post_99: 404: not found: \
             the key's owner has no post with the id post_99 (unknown_post)",
        ]
    );
    let ended = client.until(std::future::ready(()));
    ended.me().await.unwrap_err();
    assert_eq!(
        end(3),
        [
            "recorded error.type=\"canceled\"",
            "recorded otel.status_code=\"ERROR\"",
            "recorded otel.status_description=GET /api/v1/me: the call was canceled, so nothing was sent",
        ]
    );
}
