//! A call to an endpoint that this crate does not know yet.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::decode::start_of;
use crate::request::path::{check_path, check_query};
use crate::transport::default_headers::custom_header;
use crate::{Call, Client, Error, ErrorKind, Method, Operation, Request};

/// A call to an endpoint beyond the specification, not yet sent; [`Client::raw_call`] begins one.
///
/// It takes the same way as every other call: the key, the timeouts, the retries, the cap on
/// the response and the errors are the same. What the response is read as ends the description and gives
/// a [`Call`].
#[derive(Debug)]
#[must_use = "say with `read`, `read_data` or `read_bytes` what the response is"]
pub struct RawCall {
    client: Client,
    request: Result<Request, Error>,
}

impl Client {
    /// Begins a call to any path of the service, for what it offers beyond this crate.
    ///
    /// The path is that from the base URL on, `/api/v1` included, and is percent-encoded already;
    /// its query is given with [`RawCall::query`]. A path that would lead elsewhere is refused
    /// before anything is sent, with [`ErrorKind::Invalid`].
    ///
    /// `GET`, `PUT` and `DELETE` are repeated when a response is lost; `POST` and `PATCH` are when
    /// [`RawCall::idempotent`] says that they can be. A client without a key sends none.
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
    /// # Ok(())
    /// # }
    /// ```
    pub fn raw_call(&self, method: Method, path: impl Into<String>) -> RawCall {
        let path = path.into();
        // Errors and spans name the operation, and none of them shows the key.
        let redacted = self.without_key(&path).into_owned();
        let request = check_path(&path, &redacted)
            .map_err(Error::from)
            .map(|()| Request::new(Operation::unspecified(method, redacted)).path_as(path));
        RawCall {
            client: self.clone(),
            request,
        }
    }
}

impl RawCall {
    /// Adds a parameter to the query; name and value are percent-encoded.
    ///
    /// ```
    /// # use profile_sdk::{Client, Method};
    /// # let client = Client::builder().base_url("https://profiles.example").build()?;
    /// let search = client.raw_call(Method::Get, "/api/v1/search").query("q", "a&b").query("page", 2);
    /// let call = search.read_bytes();
    /// let request = call.request().expect("a call that can be sent");
    /// assert_eq!(request.query(), Some("q=a%26b&page=2"));
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        let value = value.to_string();
        self.request = self
            .request
            .map(|request| request.query_parameter(name, &value));
        self
    }

    /// Adds a query that is percent-encoded already, and is sent as it is. One that holds what a URL
    /// cannot hold there is refused before anything is sent, with [`ErrorKind::Invalid`].
    ///
    /// ```
    /// # use profile_sdk::{Client, Method};
    /// # let client = Client::builder().base_url("https://profiles.example").build()?;
    /// let search = client.raw_call(Method::Get, "/api/v1/search").encoded_query("q=a+b&page=2");
    /// let call = search.read_bytes();
    /// assert_eq!(call.request().expect("a call that can be sent").query(), Some("q=a+b&page=2"));
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn encoded_query(mut self, query: &str) -> Self {
        self.request = self.request.and_then(|request| {
            check_query(query, &self.client.without_key(query))
                .map_err(|invalid| Error::from(invalid).with_operation(request.operation()))?;
            let query = match request.query() {
                Some(before) => format!("{before}&{query}"),
                None => query.to_owned(),
            };
            Ok(request.query_string(query))
        });
        self
    }

    /// Adds a header to this request alone, in place of one of the same name that
    /// [`default_header`](crate::ClientBuilder::default_header) gives to all. The headers that the
    /// client sets itself are refused before anything is sent, and so is what no header can hold, with
    /// [`ErrorKind::Invalid`]. Its value is not redacted by any `Debug` or error.
    ///
    /// ```
    /// # use profile_sdk::{Client, Method};
    /// # let client = Client::builder().base_url("https://profiles.example").build()?;
    /// let call = client
    ///     .raw_call(Method::Put, "/api/v1/me/settings")
    ///     .header("if-match", "\"7\"")
    ///     .json(&serde_json::json!({"theme": "dark"}))
    ///     .read_bytes();
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.and_then(|request| {
            let (name, value) = custom_header(name, value)
                .map_err(|invalid| Error::from(invalid).with_operation(request.operation()))?;
            Ok(request.header(name, value))
        });
        self
    }

    /// Gives the request this value as its JSON body. A value that JSON cannot hold, such as a map
    /// whose keys are no texts, is refused before anything is sent, with [`ErrorKind::Invalid`].
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use profile_sdk::{Method, Post};
    ///
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let post: Post = client
    ///     .raw_call(Method::Post, "/api/v1/me/posts")
    ///     .json(&serde_json::json!({"body": "Hello"}))
    ///     .read_data()
    ///     .await?;
    /// assert_eq!(post.body.as_deref(), Some("Hello"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn json(mut self, body: &(impl Serialize + ?Sized)) -> Self {
        self.request = self.request.and_then(|request| {
            let text = serde_json::to_vec(body).map_err(|error| {
                let reason = format!("could not serialize the body to JSON: {error}");
                let invalid = Error::new(ErrorKind::Invalid, reason);
                invalid
                    .with_operation(request.operation())
                    .with_source(error)
            })?;
            Ok(request.json_text(text))
        });
        self
    }

    /// Gives the request this text as its JSON body, which is sent as it is, spaces and all. What is
    /// no JSON is refused before anything is sent, with [`ErrorKind::Invalid`].
    ///
    /// ```
    /// # use profile_sdk::{Client, Method};
    /// # let client = Client::builder().base_url("https://profiles.example").build()?;
    /// let call = client.raw_call(Method::Put, "/api/v1/me/settings").json_text("{ \"a\": 1.0 }\n");
    /// let call = call.read_bytes();
    /// let request = call.request().expect("a call that can be sent");
    /// assert_eq!(request.body(), Some(&b"{ \"a\": 1.0 }\n"[..]));
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn json_text(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.request = self.request.and_then(|request| {
            let body = body.into();
            match serde_json::from_slice::<IgnoredAny>(&body) {
                Ok(_) => Ok(request.json_text(body)),
                Err(error) => {
                    let reason = format!("the body is not valid JSON: {error}");
                    let invalid = Error::new(ErrorKind::Invalid, reason);
                    Err(invalid
                        .with_operation(request.operation())
                        .with_source(error))
                }
            }
        });
        self
    }

    /// Says that doing it twice leaves the same behind as doing it once, so that it may be repeated
    /// when its response is lost.
    ///
    /// ```
    /// # use profile_sdk::{Client, Method};
    /// # let client = Client::builder().base_url("https://profiles.example").build()?;
    /// let call = client.raw_call(Method::Patch, "/api/v1/me/settings").idempotent().read_bytes();
    /// assert!(call.request().expect("a call that can be sent").operation().is_idempotent());
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn idempotent(mut self) -> Self {
        let idempotent = |request: Request| request.operation_as(Operation::idempotent);
        self.request = self.request.map(idempotent);
        self
    }

    /// Reads the whole body of the response as JSON, and a response without a body as null: take `()` or
    /// an [`Option`] where one may come.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use profile_sdk::Method;
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
    /// let stats: serde_json::Value = client.raw_call(Method::Get, "/api/v1/stats").read().await?;
    /// assert!(stats["data"]["users"].is_u64());
    /// # Ok(())
    /// # }
    /// ```
    pub fn read<T: DeserializeOwned>(self) -> Call<T> {
        Call::new(&self.client, self.request, |body| match body {
            b"" => read_nothing(),
            _ => read_json(body),
        })
    }

    /// Reads what stands under `data` in the response, where the service puts what it has to say, and an
    /// response without a body as null: take `()` or an [`Option`] where one may come.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use profile_sdk::{Method, SiteStats};
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
    /// let stats: SiteStats = client.raw_call(Method::Get, "/api/v1/stats").read_data().await?;
    /// println!("{} users", stats.users);
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_data<T: DeserializeOwned>(self) -> Call<T> {
        Call::new(&self.client, self.request, |body| match body {
            b"" => read_nothing(),
            _ => read_json::<Envelope<T>>(body).map(|envelope| envelope.data),
        })
    }

    /// Takes the body of the response as it is, decompressed.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use profile_sdk::Method;
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
    /// let body = client.raw_call(Method::Get, "/api/v1/badges").read_bytes().await?;
    /// assert!(body.starts_with(b"{\"data\":["));
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_bytes(self) -> Call<Vec<u8>> {
        Call::new(&self.client, self.request, |body| Ok(body.to_vec()))
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

fn read_nothing<T: DeserializeOwned>() -> Result<T, String> {
    serde_json::from_str("null").map_err(|_| {
        "the response has no body; read it with `read_bytes`, or as an `Option`".to_owned()
    })
}

fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let read = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_slice(body));
    read.map_err(|error| {
        let reason = match error.path().to_string().as_str() {
            "." => error.inner().to_string(),
            path => format!("{path}: {}", error.inner()),
        };
        format!("{reason}; the body starts with {}", start_of(body))
    })
}
