//! What is told to `tracing`, and that the key is not in it.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::{ApiKey, Client};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::describe;

/// Writes down the name and the fields of every span and event.
#[derive(Clone, Default)]
struct Written {
    lines: Arc<Mutex<Vec<String>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!(" {field}={value:?}");
    }
}

impl Written {
    fn write(&self, metadata: &Metadata<'_>, record: impl FnOnce(&mut Line)) {
        if metadata.target() == "profile_sdk" {
            let mut line = Line(metadata.name().to_owned());
            record(&mut line);
            self.lines.lock().unwrap().push(line.0);
        }
    }
}

impl Subscriber for Written {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.write(span.metadata(), |line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.write(event.metadata(), |line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_call_and_its_attempts_are_told_without_the_key() {
    let service = MockServer::start().await;
    let echo = Fault::Status {
        status: 503,
        body: Some(format!("Bearer {}", service.key())),
        headers: Default::default(),
    };
    service.add_fault(FaultRule::new(echo).times(1)).unwrap();
    let client: Client = describe(&service)
        .api_key(ApiKey::new(service.key()).unwrap())
        .build()
        .unwrap();
    let written = Written::default();
    // Of a single subscriber, `tracing` takes the word of whichever test's thread comes by first, and
    // that thread has none.
    let _second = tracing::Dispatch::new(written.clone());
    let _guard = tracing::subscriber::set_default(written.clone());
    client.me().await.unwrap();
    let lines = written.lines.lock().unwrap();
    assert_eq!(lines[0], "call operation=GET /api/v1/me");
    assert_eq!(lines[1], "attempt number=1");
    assert!(lines[2].contains("attempt 1 begins"));
    assert!(lines[3].contains("attempt 1 failed: GET /api/v1/me: 503"));
    assert!(lines[3].contains("kind=Service error=GET /api/v1/me: 503"));
    assert!(lines[4].contains(" seconds before the next attempt"));
    assert_eq!(lines[5], "attempt number=2");
    assert!(lines[6].contains("attempt 2 begins"));
    let shown = lines.join("\n");
    assert!(!shown.contains(service.key()), "{shown}");
}
