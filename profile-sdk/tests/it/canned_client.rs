//! A client whose responses a test sets, without a network. The fuzz target `responses` uses it too.

use std::convert::Infallible;
use std::future::ready;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::Full;
use profile_sdk::{
    ApiKey, Call, Client, Error, HttpService, Operation, Response as Received, RetryPolicy,
};
use serde::Serialize;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tower::layer::layer_fn;
use tower::service_fn;

use crate::calls::each_call;

type Response = http::Response<Full<Bytes>>;

pub(crate) struct CannedClient {
    pub(crate) client: Client,
    response: Arc<Mutex<Response>>,
    runtime: Runtime,
}

impl CannedClient {
    pub(crate) fn new() -> Self {
        let response = Arc::<Mutex<Response>>::default();
        let canned = response.clone();
        let fake = layer_fn(move |_network: HttpService| {
            let canned = canned.clone();
            let respond = move || canned.lock().expect("no test panics here").clone();
            service_fn(move |_: http::Request<Bytes>| ready(Ok::<_, Infallible>(respond())))
        });
        let client = Client::builder()
            .base_url("http://localhost")
            .api_key(ApiKey::new("key").expect("a valid key"))
            .retry(RetryPolicy::none())
            .layer(fake)
            .build();
        let runtime = Builder::new_current_thread().enable_time().build();
        Self {
            client: client.expect("valid settings"),
            response,
            runtime: runtime.expect("a runtime"),
        }
    }

    /// Returns the result of a call whose 2xx response has this body.
    pub(crate) fn read<T: Send + 'static>(&self, call: Call<T>, body: &[u8]) -> Result<T, Error> {
        let response = http::Response::new(Bytes::copy_from_slice(body).into());
        self.send(call, response)
    }

    /// Returns the response to a call with this body.
    pub(crate) fn send_call<T>(&self, call: Call<T>, body: &[u8]) -> Result<Received<T>, Error> {
        let response = http::Response::new(Bytes::copy_from_slice(body).into());
        *self.response.lock().expect("no test panics here") = response;
        self.runtime.block_on(call.send())
    }

    /// Returns the error of a call whose response has the status 400 and this body.
    pub(crate) fn error(&self, body: &[u8]) -> Error {
        let mut response = Response::new(Bytes::copy_from_slice(body).into());
        *response.status_mut() = http::StatusCode::BAD_REQUEST;
        let error = self.send(self.client.badges(), response);
        error.expect_err("400 is an error")
    }

    fn send<T: Send + 'static>(&self, call: Call<T>, response: Response) -> Result<T, Error> {
        *self.response.lock().expect("no test panics here") = response;
        self.runtime.block_on(call)
    }

    /// Reads a body as the response to every call, and checks the results.
    pub(crate) fn check_every_call(&self, body: &[u8]) {
        macro_rules! row {
            ($operation:expr, $call:expr) => {
                self.check(&$operation, || $call, body)
            };
        }
        each_call!(self.client, row);
        self.check_error(body);
    }

    /// Checks that a value can be serialized and decoded again, that an error is one line, and that a
    /// write succeeds whatever the body is.
    fn check<T: Serialize + Send + 'static>(
        &self,
        operation: &Operation,
        call: impl Fn() -> Call<T>,
        body: &[u8],
    ) {
        match self.read(call(), body) {
            Ok(value) => {
                let body = json!({"data": value}).to_string();
                let again = self.read(call(), body.as_bytes());
                let again = again.expect("a decoded value can be decoded again");
                assert_eq!(json!({"data": again}).to_string(), body);
            }
            Err(error) => {
                assert!(!operation.method().is_write(), "{error}");
                assert_eq!(error.status(), Some(200));
                assert_one_line(&error.to_string());
            }
        }
    }

    /// Reads a body as an error response, with the body as its `Retry-After` as well.
    fn check_error(&self, body: &[u8]) {
        let mut response = Response::new(Bytes::copy_from_slice(body).into());
        *response.status_mut() = http::StatusCode::BAD_REQUEST;
        if let Ok(value) = http::HeaderValue::from_bytes(body) {
            response.headers_mut().insert("retry-after", value);
        }
        let error = self.send(self.client.badges(), response);
        let error = error.expect_err("400 is an error");
        assert_one_line(&error.to_string());
        for text in [error.code(), error.message()].into_iter().flatten() {
            assert_one_line(text);
        }
    }
}

fn assert_one_line(text: &str) {
    assert!(!text.contains(['\n', '\r']) && !text.is_empty(), "{text:?}");
}
