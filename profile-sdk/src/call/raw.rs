//! Calls to endpoints without a method in this crate.

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::call::Call;
use crate::client::Client;
use crate::decode::read_any;
use crate::error::{Error, invalid_because};
use crate::request::{Method, Operation, Request, check_path, check_query};

/// A call to an endpoint that is not in the specification; created by [`Client::raw_call`].
///
/// It uses the same key, timeouts, retries, size limit and errors as any other call.
/// [`read`](Self::read), [`read_data`](Self::read_data) and [`read_bytes`](Self::read_bytes) turn
/// it into a [`Call`].
#[derive(Debug)]
#[must_use = "call `read`, `read_data` or `read_bytes`"]
pub struct RawCall {
    client: Client,
    request: Result<Request, Error>,
}

impl Client {
    /// Creates a call to any endpoint, for endpoints without a method in this crate.
    ///
    /// The path starts with `/api/v1` and is already percent-encoded. Add a query with
    /// [`RawCall::query`]. A path with a dot segment or an invalid character returns
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the call is awaited; nothing is sent.
    ///
    /// `GET`, `PUT` and `DELETE` are retried if a response is lost; `POST` and `PATCH` only after
    /// [`RawCall::idempotent`]. The key is sent if the client has one.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::{Method, UserStats};
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let week: UserStats = client
    ///     .raw_call(Method::Get, "/api/v1/users/demo/stats")
    ///     .query("days", 7)
    ///     .read_data()
    ///     .await?;
    /// assert_eq!(week.daily.unwrap_or_default().len(), 7);
    ///
    /// let post: serde_json::Value = client
    ///     .raw_call(Method::Post, "/api/v1/me/posts")
    ///     .json(&serde_json::json!({"body": "Hello"}))
    ///     .read()
    ///     .await?;
    /// assert_eq!(post["data"]["body"], "Hello");
    /// # Ok(())
    /// # }
    /// ```
    pub fn raw_call(&self, method: Method, path: impl Into<String>) -> RawCall {
        let path = path.into();
        // The operation is shown in errors and spans, which must not contain the key.
        let redacted = self.redact_key(&path).into_owned();
        let request = check_path(&path, &redacted)
            .map_err(Error::from)
            .map(|()| Request::with_path(Operation::unspecified(method, redacted), path));
        RawCall {
            client: self.clone(),
            request,
        }
    }
}

impl RawCall {
    /// Adds a query parameter. The name and the value are percent-encoded.
    pub fn query(self, name: &str, value: impl ToString) -> Self {
        self.edit(|_, request| Ok(request.query_parameter(name, &value.to_string())))
    }

    /// Adds a query that is already percent-encoded. A character that is not allowed in a query
    /// returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the call is awaited; nothing is sent.
    pub fn encoded_query(self, query: &str) -> Self {
        self.edit(|client, request| {
            check_query(query, &client.redact_key(query))?;
            Ok(request.encoded_query(query))
        })
    }

    /// Adds a header to this request, replacing a
    /// [`default_header`](crate::ClientBuilder::default_header) with the same name. The rules are
    /// those of [`Call::header`].
    pub fn header(self, name: &str, value: &str) -> Self {
        self.edit(|_, request| Ok(request.header(name, value)?))
    }

    /// Sets the JSON body to a serialized value. A value that cannot be serialized, such as a map
    /// with keys that are not strings, returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the call
    /// is awaited; nothing is sent.
    pub fn json(self, body: &(impl Serialize + ?Sized)) -> Self {
        self.edit(|_, request| {
            let text = serde_json::to_vec(body);
            let invalid = |error| invalid_because("could not serialize the body to JSON", error);
            Ok(request.json_text(text.map_err(invalid)?))
        })
    }

    /// Sets the JSON body to a text that is sent unchanged. Invalid JSON returns
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the call is awaited; nothing is sent.
    pub fn json_text(self, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        self.edit(|_, request| {
            let checked = serde_json::from_slice::<IgnoredAny>(&body);
            checked.map_err(|error| invalid_because("the body is not valid JSON", error))?;
            Ok(request.json_text(body))
        })
    }

    /// Declares that the request can be sent twice with the same result, so that it is retried if
    /// its response is lost.
    pub fn idempotent(self) -> Self {
        self.edit(|_, request| Ok(request.idempotent()))
    }

    /// Changes the request, unless it is already an error.
    fn edit(mut self, edit: impl FnOnce(&Client, Request) -> Result<Request, Error>) -> Self {
        self.request = self.request.and_then(|request| {
            let operation = request.operation().clone();
            edit(&self.client, request).map_err(|error| error.with_operation(&operation))
        });
        self
    }

    /// Decodes the whole body as JSON. An empty body is decoded as null; use `()` or an [`Option`]
    /// where it can be empty.
    pub fn read<T: DeserializeOwned>(self) -> Call<T> {
        Call::new(&self.client, self.request, |body| read_any(body, false))
    }

    /// Decodes the field `data` of the body as JSON. An empty body is decoded as null; use `()` or
    /// an [`Option`] where it can be empty.
    pub fn read_data<T: DeserializeOwned>(self) -> Call<T> {
        Call::new(&self.client, self.request, |body| read_any(body, true))
    }

    /// Returns the decompressed body.
    pub fn read_bytes(self) -> Call<Vec<u8>> {
        Call::new(&self.client, self.request, |body| Ok(body.bytes.to_vec()))
    }
}
