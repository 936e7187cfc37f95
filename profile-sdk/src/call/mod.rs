//! Calls, which are sent when they are awaited.

mod attempts;
mod raw;
mod response;
#[cfg(feature = "testing")]
pub(crate) mod response_builder;
mod trace;

pub use raw::RawCall;
pub use response::Response;

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use self::attempts::Attempts;
use crate::client::Client;
use crate::client::timeouts::Timeouts;
use crate::decode;
use crate::decode::response_data::{Resource, ResponseData};
use crate::error::raw_response::RawResponse;
use crate::error::{Error, ErrorKind};
use crate::request::Request;
use crate::retry::RetryPolicy;

/// A call to the service that has not been sent yet.
///
/// Awaiting it sends it and returns the decoded data. [`send`](Self::send) also returns the status
/// code, headers and body of the response. [`request`](Self::request) returns the request without
/// sending it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// # let service = mock_server::MockServer::start().await;
/// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
/// let badges = client.badges().total_timeout(Duration::from_secs(5)).await?;
/// println!("{} badges", badges.len());
/// # Ok(())
/// # }
/// ```
///
/// A call implements [`IntoFuture`], not `Future`. Use `into_future` where a future is required,
/// for example to run several calls at the same time:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use tokio::task::JoinSet;
///
/// # let service = mock_server::MockServer::start().await;
/// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
/// let badges = tokio::spawn(client.badges().into_future());
///
/// let mut posts = JoinSet::new();
/// for text in ["one", "two"] {
///     posts.spawn(client.create_post(text).into_future());
/// }
/// while let Some(created) = posts.join_next().await {
///     println!("{:?}", created?);
/// }
///
/// tokio::select! {
///     site = client.site_stats().into_future() => println!("{} users", site?.users),
///     () = tokio::time::sleep(Duration::from_secs(5)) => println!("timed out; the call is canceled"),
/// }
/// println!("{} badges", badges.await??.len());
/// # Ok(())
/// # }
/// ```
#[must_use = "a call is sent when it is awaited"]
pub struct Call<T> {
    client: Client,
    request: Result<Request, Error>,
    read: fn(&[u8]) -> Result<T, String>,
    timeouts: Timeouts,
    /// `true` if a 2xx response is a success even if its body cannot be read.
    accepts_any_body: bool,
}

impl<T> Call<T> {
    /// Creates a call with a function that decodes the body of the response.
    pub(crate) fn new(
        client: &Client,
        request: Result<Request, Error>,
        read: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        Self {
            client: client.clone(),
            request,
            read,
            timeouts: client.timeouts(),
            accepts_any_body: false,
        }
    }

    /// Creates a call whose response contains a value under `data`.
    pub(crate) fn read(client: &Client, request: Request) -> Self
    where
        T: ResponseData,
    {
        Self::new(client, Ok(request), decode::read_data)
    }

    /// Sets the timeout for each attempt of this call, from connecting to the last byte of the
    /// response. Default: the setting of the client.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.attempt_timeout = timeout;
        self
    }

    /// Sets the timeout for this call, including all attempts and waits. Default: the setting of
    /// the client.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.total_timeout = timeout;
        self
    }

    /// Sets the number of retries of this call and the waits between them. Default: the setting of
    /// the client.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.timeouts.retry = policy;
        self
    }

    /// Adds a header to all attempts of this call, for example `traceparent` or `Idempotency-Key`.
    /// Replaces a [`default_header`](crate::ClientBuilder::default_header) with the same name.
    ///
    /// A header that only the client sets, such as `Authorization`, `Host` or `Content-Length`, and
    /// an invalid name or value return [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the
    /// call is awaited; nothing is sent. `Debug` and errors do not show the value.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self
            .request
            .and_then(|request| with_header(request, name, value));
        self
    }

    /// Returns the request that would be sent, without the key.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments of the call are invalid, for example an empty
    /// [`LinkUpdate`](crate::LinkUpdate).
    pub fn request(&self) -> Result<&Request, &Error> {
        self.request.as_ref()
    }

    /// Sends the call and returns the response with its status code, headers and body.
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
    pub async fn send(self) -> Result<Response<T>, Error> {
        match self.request {
            Ok(ref request) => {
                let (response, attempts) = self.exchange(request).await?;
                let data = self.decode(request, &response, &attempts)?;
                Ok(Response::new(data, response, attempts.summary()))
            }
            Err(error) => Err(error),
        }
    }

    async fn exchange<'a>(
        &'a self,
        request: &'a Request,
    ) -> Result<(RawResponse, Attempts<'a>), Error> {
        attempts::exchange(&self.client, request, &self.timeouts, self.accepts_any_body).await
    }

    fn decode(
        &self,
        request: &Request,
        response: &RawResponse,
        attempts: &Attempts<'_>,
    ) -> Result<T, Error> {
        (self.read)(&response.body).map_err(|_| {
            let to_error = |response: RawResponse| {
                // Decode the redacted body again, because the reason quotes it.
                let reason = (self.read)(&response.body).err().unwrap_or_default();
                Error::new(ErrorKind::Unreadable, reason).with_response(response)
            };
            let error = self.client.redacted_error(response.clone(), to_error);
            let error = self.client.error_in(request, error);
            error.with_summary(attempts.summary())
        })
    }
}

impl<T> Call<Option<T>> {
    /// Creates a call whose response may contain the written resource.
    pub(crate) fn write(client: &Client, request: Request) -> Self
    where
        T: Resource,
    {
        let read = |body: &[u8]| Ok(decode::read_written(body));
        Self {
            accepts_any_body: true,
            ..Self::new(client, Ok(request), read)
        }
    }

    /// Makes the call fail with this error before it is sent.
    pub(crate) fn or_error(mut self, error: Option<Error>) -> Self {
        if let (Some(error), Ok(request)) = (error, &self.request) {
            self.request = Err(self.client.error_in(request, error));
        }
        self
    }
}

impl Call<()> {
    /// Creates a call whose response body is ignored.
    pub(crate) fn delete(client: &Client, request: Request) -> Self {
        Self {
            accepts_any_body: true,
            ..Self::new(client, Ok(request), |_| Ok(()))
        }
    }
}

impl<T: Send + 'static> IntoFuture for Call<T> {
    type Output = Result<T, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        // Does not call `send`, whose future would store the call twice, and which moves the data,
        // which may be large, more often.
        Box::pin(async move {
            match self.request {
                Ok(ref request) => {
                    let (response, attempts) = self.exchange(request).await?;
                    self.decode(request, &response, &attempts)
                }
                Err(error) => Err(error),
            }
        })
    }
}

/// Sets a header of the caller.
fn with_header(request: Request, name: &str, value: &str) -> Result<Request, Error> {
    let operation = request.operation().clone();
    let with_header = request.header(name, value);
    with_header.map_err(|invalid| Error::from(invalid).with_operation(&operation))
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("request", &self.request)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}
