//! Spans and events for the feature `tracing`. They never contain the key. The fields of the span of
//! a call have the names of OpenTelemetry.

#[cfg(feature = "tracing")]
pub(crate) use on::{CallSpan, failed, in_attempt, waiting};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{CallSpan, failed, in_attempt, waiting};

#[cfg(feature = "tracing")]
mod on {
    use std::time::Duration;

    use tracing::field::{Empty, display};
    use tracing::{Instrument as _, Span};

    use crate::error::Error;
    use crate::request::Request;
    use crate::transport::BaseUrl;

    const TARGET: &str = "profile_sdk";

    /// The span of a call, which ends when it is dropped. Numbers are `i64`, because OpenTelemetry has
    /// no unsigned integers, and `tracing-opentelemetry` exports them as strings.
    pub(crate) struct CallSpan(Span);

    impl CallSpan {
        pub(crate) fn new(request: &Request, base_url: &BaseUrl) -> Self {
            let operation = request.operation();
            let (address, port) = base_url.server();
            Self(tracing::info_span!(
                target: TARGET,
                "call",
                otel.kind = "client",
                otel.name = %operation,
                http.request.method = operation.method().as_str(),
                url.template = operation.path_template(),
                server.address = address,
                server.port = port.map(i64::from),
                http.request.resend_count = Empty,
                http.response.status_code = Empty,
                error.type = Empty,
                otel.status_code = Empty,
                otel.status_description = Empty,
            ))
        }

        pub(crate) fn instrument<F: Future>(
            &self,
            call: F,
        ) -> impl Future<Output = F::Output> + use<F> {
            call.instrument(self.0.clone())
        }

        /// Records the result of the call. The key is already redacted in the error.
        pub(crate) fn record(&self, status: Option<u16>, error: Option<&Error>) {
            let Self(span) = self;
            if let Some(status) = status {
                span.record("http.response.status_code", i64::from(status));
            }
            if let Some(error) = error {
                span.record("error.type", error.kind().as_str());
                span.record("otel.status_code", "ERROR");
                span.record("otel.status_description", display(error));
            }
        }
    }

    pub(crate) fn in_attempt<F: Future>(
        number: u32,
        attempt: F,
    ) -> impl Future<Output = F::Output> {
        let begun = async move {
            tracing::debug!(target: TARGET, number, "attempt {number} begins");
            attempt.await
        };
        begun.instrument(tracing::debug_span!(target: TARGET, "attempt", number))
    }

    /// The key is already redacted in the error.
    pub(crate) fn failed(number: u32, error: &Error) {
        tracing::debug!(
            target: TARGET,
            number,
            kind = error.kind().as_str(),
            %error,
            "attempt {number} failed: {error}"
        );
    }

    /// Records in the span of the call that another attempt follows.
    pub(crate) fn waiting(wait: Duration, attempts: u32) {
        Span::current().record("http.request.resend_count", i64::from(attempts));
        let seconds = wait.as_secs_f64();
        tracing::debug!(
            target: TARGET,
            seconds,
            "waiting {seconds:.3} seconds before the next attempt"
        );
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use std::time::Duration;

    use crate::error::Error;
    use crate::request::Request;
    use crate::transport::BaseUrl;

    pub(crate) struct CallSpan;

    impl CallSpan {
        pub(crate) fn new(_: &Request, _: &BaseUrl) -> Self {
            Self
        }

        pub(crate) fn instrument<F>(&self, call: F) -> F {
            call
        }

        pub(crate) fn record(&self, _: Option<u16>, _: Option<&Error>) {}
    }

    pub(crate) fn in_attempt<F>(_: u32, attempt: F) -> F {
        attempt
    }

    pub(crate) fn failed(_: u32, _: &Error) {}

    pub(crate) fn waiting(_: Duration, _: u32) {}
}
