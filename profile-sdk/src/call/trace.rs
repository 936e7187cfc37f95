//! Spans and events for the feature `tracing`. They never contain the key. The fields of the span of
//! a call have the names of OpenTelemetry.

#[cfg(feature = "tracing")]
pub(crate) use on::{failed, in_attempt, in_call, waiting};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{failed, in_attempt, in_call, waiting};

#[cfg(feature = "tracing")]
mod on {
    use std::future::Future;
    use std::time::Duration;

    use tracing::field::Empty;
    use tracing::{Instrument as _, Span};

    use crate::error::Error;
    use crate::error::body::RawResponse;
    use crate::request::Request;
    use crate::transport::base_url::BaseUrl;

    const TARGET: &str = "profile_sdk";

    pub(crate) fn in_call<F: Future<Output = Result<RawResponse, Error>>>(
        request: &Request,
        base_url: &BaseUrl,
        call: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let operation = request.operation();
        let (address, port) = base_url.server();
        let span = tracing::info_span!(
            target: TARGET,
            "call",
            otel.kind = "client",
            otel.name = %operation,
            http.request.method = operation.method().as_str(),
            url.template = operation.path_template(),
            server.address = address,
            server.port = port,
            http.request.resend_count = Empty,
            http.response.status_code = Empty,
            error.type = Empty,
            otel.status_code = Empty,
        );
        let of_call = span.clone();
        let recorded = async move {
            let result = call.await;
            record_result(&of_call, &result);
            result
        };
        recorded.instrument(span)
    }

    fn record_result(span: &Span, result: &Result<RawResponse, Error>) {
        let status = match result {
            Ok(response) => Some(response.status),
            Err(error) => {
                span.record("error.type", error.kind().as_str());
                span.record("otel.status_code", "ERROR");
                error.status()
            }
        };
        if let Some(status) = status {
            span.record("http.response.status_code", status);
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
        Span::current().record("http.request.resend_count", attempts);
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
    use crate::transport::base_url::BaseUrl;

    pub(crate) fn in_call<F>(_: &Request, _: &BaseUrl, call: F) -> F {
        call
    }

    pub(crate) fn in_attempt<F>(_: u32, attempt: F) -> F {
        attempt
    }

    pub(crate) fn failed(_: u32, _: &Error) {}

    pub(crate) fn waiting(_: Duration, _: u32) {}
}
