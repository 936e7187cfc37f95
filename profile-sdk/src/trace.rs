//! What a call tells to `tracing`, where the feature of that name is on: a span for the call, a span
//! for each attempt in it, and an event for each that fails. None of them holds the key.

#[cfg(feature = "tracing")]
pub(crate) use on::{failed, in_attempt, in_call};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{failed, in_attempt, in_call};

#[cfg(feature = "tracing")]
mod on {
    use std::future::Future;

    use tracing::Instrument as _;

    use crate::{Error, Request};

    pub(crate) fn in_call<F: Future>(
        request: &Request,
        call: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let operation = request.operation();
        call.instrument(tracing::info_span!("call", %operation))
    }

    pub(crate) fn in_attempt<F: Future>(
        number: u32,
        attempt: F,
    ) -> impl Future<Output = F::Output> {
        attempt.instrument(tracing::debug_span!("attempt", number))
    }

    /// The error has been freed of the key before.
    pub(crate) fn failed(error: &Error) {
        tracing::debug!(kind = ?error.kind(), %error, "an attempt failed");
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::{Error, Request};

    pub(crate) fn in_call<F>(_: &Request, call: F) -> F {
        call
    }

    pub(crate) fn in_attempt<F>(_: u32, attempt: F) -> F {
        attempt
    }

    pub(crate) fn failed(_: &Error) {}
}
