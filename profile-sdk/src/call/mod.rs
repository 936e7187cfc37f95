//! Calls, which are sent when they are awaited.

mod attempts;
mod raw;
mod trace;

pub use raw::RawCall;

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use std::{fmt, mem};

use attempts::Exchange;
use trace::CallSpan;

use crate::client::{CallSettings, Client};
use crate::decode::{self, Resource, ResponseData};
use crate::error::{AttemptSummary, Error, ErrorKind, RawResponse, is_page};
use crate::json::Body;
use crate::request::Request;
use crate::retry::RetryPolicy;

const POLLED: &str = "the call has already been polled";

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
/// A call is a future, which sends the request when it is first polled.
///
/// ```edition2021
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tokio::task::JoinSet;
///
/// # let service = mock_server::MockServer::start().await;
/// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
/// let badges = tokio::spawn(client.badges());
/// let mut posts = JoinSet::new();
/// for text in ["one", "two"] {
///     posts.spawn(client.create_post(text));
/// }
/// while let Some(created) = posts.join_next().await {
///     println!("{:?}", created?);
/// }
/// println!("{} badges", badges.await??.len());
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// All methods panic after the call has been polled, and so does polling it after it completed.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<T> {
    state: State<T>,
}

#[expect(
    clippy::large_enum_variant,
    reason = "boxing an unsent call would cost an allocation per call"
)]
enum State<T> {
    Unsent(Unsent<T>),
    /// The mutex is never locked: it only makes the call `Sync`, which futures in it may not be.
    Sent(Mutex<Sending<T>>),
    Completed,
}

type Sending<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

struct Unsent<T> {
    client: Client,
    request: Result<Request, Error>,
    read: fn(&Body) -> Result<T, String>,
    settings: CallSettings,
    /// `true` if a 2xx response is a success even if its body cannot be read.
    accepts_any_body: bool,
}

impl<T> Call<T> {
    /// Creates a call with a function that decodes the body of the response.
    pub(crate) fn new(
        client: &Client,
        request: Result<Request, Error>,
        read: fn(&Body) -> Result<T, String>,
    ) -> Self {
        let unsent = Unsent {
            client: client.clone(),
            request,
            read,
            settings: client.shared.call_settings,
            accepts_any_body: false,
        };
        Self {
            state: State::Unsent(unsent),
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
        self.unsent_mut().settings.attempt_timeout = timeout;
        self
    }

    /// Sets the timeout for this call, including all attempts and waits. Default: the setting of
    /// the client.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.unsent_mut().settings.total_timeout = timeout;
        self
    }

    /// Sets the time at which this call ends, in addition to its total timeout. If it has passed, the
    /// call returns [`ErrorKind::Timeout`], and nothing is sent. Measured by the client's
    /// [`Clock`](crate::Clock).
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.unsent_mut().settings.deadline = Some(deadline);
        self
    }

    /// Sets the number of retries of this call and the waits between them. Default: the setting of
    /// the client.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.unsent_mut().settings.retry = policy;
        self
    }

    /// Adds a header to all attempts of this call, for example `traceparent` or `Idempotency-Key`.
    /// Replaces a [`default_header`](crate::ClientBuilder::default_header) with the same name.
    ///
    /// A header that only the client sets, such as `Authorization`, `Host` or `Content-Length`, and
    /// an invalid name or value return [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the
    /// call is awaited; nothing is sent. `Debug` and errors do not show the value.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let unsent = self.unsent_mut();
        if let Ok(request) = &unsent.request {
            let with_header = request.clone().header(name, value);
            unsent.request = with_header
                .map_err(|invalid| Error::from(invalid).with_operation(request.operation()));
        }
        self
    }

    /// Returns the request that would be sent, without the key.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments of the call are invalid, for example an empty
    /// [`LinkUpdate`](crate::LinkUpdate).
    pub fn request(&self) -> Result<&Request, &Error> {
        match &self.state {
            State::Unsent(unsent) => unsent.request.as_ref(),
            State::Sent(_) | State::Completed => panic!("{POLLED}"),
        }
    }

    /// Sends the call and returns the response with its status code, headers and body.
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
    pub async fn send(self) -> Result<Response<T>, Error> {
        let unsent = self.into_unsent();
        let request = unsent.request.as_ref().map_err(Error::clone)?;
        let (raw, summary, span) = unsent.exchange(request).await?;
        let data = unsent.decode(request, &raw, summary, &span)?;
        Ok(Response { data, raw, summary })
    }

    fn accepting_any_body(mut self) -> Self {
        self.unsent_mut().accepts_any_body = true;
        self
    }

    fn unsent_mut(&mut self) -> &mut Unsent<T> {
        match &mut self.state {
            State::Unsent(unsent) => unsent,
            State::Sent(_) | State::Completed => panic!("{POLLED}"),
        }
    }

    fn into_unsent(self) -> Unsent<T> {
        match self.state {
            State::Unsent(unsent) => unsent,
            State::Sent(_) | State::Completed => panic!("{POLLED}"),
        }
    }
}

impl<T> Unsent<T> {
    fn exchange(&self, request: &Request) -> impl Future<Output = Result<Exchange, Error>> {
        attempts::send_with_retries(&self.client, request, &self.settings, self.accepts_any_body)
    }

    fn decode(
        &self,
        request: &Request,
        response: &RawResponse,
        summary: AttemptSummary,
        span: &CallSpan,
    ) -> Result<T, Error> {
        let data = (self.read)(&response.body).map_err(|_| {
            let key = self.client.shared.api_key.as_ref();
            let response = response.clone().redacted(key);
            // Decode the redacted body again, because the reason quotes it.
            let reason = (self.read)(&response.body).err().unwrap_or_default();
            let error = Error::new(ErrorKind::Unreadable, reason).with_response(response);
            let error = self.client.error_in(request, error.redacted(key));
            error.with(|error| error.summary = summary)
        });
        span.record(Some(response.status), data.as_ref().err());
        data
    }
}

impl<T> Call<Option<T>> {
    /// Creates a call whose response may contain the written resource.
    pub(crate) fn write(client: &Client, request: Request) -> Self
    where
        T: Resource,
    {
        let read = |body: &Body| Ok(decode::read_written(body));
        Self::new(client, Ok(request), read).accepting_any_body()
    }

    /// Makes the call fail with this error before it is sent.
    pub(crate) fn or_error(mut self, error: Option<Error>) -> Self {
        let unsent = self.unsent_mut();
        if let (Some(error), Ok(request)) = (error, &unsent.request) {
            unsent.request = Err(unsent.client.error_in(request, error));
        }
        self
    }
}

impl Call<()> {
    /// Creates a call whose response body is ignored.
    pub(crate) fn delete(client: &Client, request: Request) -> Self {
        Self::new(client, Ok(request), |_| Ok(())).accepting_any_body()
    }
}

impl<T: Send + 'static> Future for Call<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let State::Unsent(_) = self.state {
            let state = mem::replace(&mut self.state, State::Completed);
            let unsent = Self { state }.into_unsent();
            // An async function would store its arguments twice, and [`Call::send`] would move the
            // data, which may be large, once more.
            // glibc reuses blocks of up to 1,032 bytes quickly, and this future just fits: beyond
            // that, a call with 64 in flight takes 5 % more instructions. A test holds the size.
            let call = async move {
                let request = unsent.request.as_ref().map_err(Error::clone)?;
                let (response, summary, span) = unsent.exchange(request).await?;
                unsent.decode(request, &response, summary, &span)
            };
            self.state = State::Sent(Mutex::new(Box::pin(call)));
        }
        let State::Sent(call) = &mut self.state else {
            panic!("the call was polled after it completed");
        };
        let call = call.get_mut().unwrap_or_else(PoisonError::into_inner);
        let output = ready!(call.as_mut().poll(cx));
        self.state = State::Completed;
        Poll::Ready(output)
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Call");
        if let State::Unsent(unsent) = &self.state {
            debug.field("request", &unsent.request);
            debug.field("settings", &unsent.settings);
        }
        debug.finish_non_exhaustive()
    }
}

// A span makes it larger.
/// A response with its decoded data, as [`Call::send`](crate::Call::send) returns it.
///
/// `Debug` shows neither the data nor the body: they may be large, and a service may echo the key in
/// them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let service = mock_server::MockServer::start().await;
/// # let client = profile_sdk::Client::builder().base_url(service.uri()).build()?;
/// let response = client.site_stats().send().await?;
/// assert_eq!(response.status(), 200);
/// assert_eq!(response.header("content-type"), Some("application/json"));
/// println!("received: {}", response.raw_data().unwrap_or("nothing"));
/// println!("users: {}", response.into_data().users);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Response<T> {
    pub(crate) data: T,
    pub(crate) raw: RawResponse,
    pub(crate) summary: AttemptSummary,
}

impl<T> Response<T> {
    /// Returns the decoded data.
    #[must_use]
    pub fn data(&self) -> &T {
        &self.data
    }

    /// Returns the decoded data and drops the rest.
    #[must_use]
    pub fn into_data(self) -> T {
        self.data
    }

    /// Returns the HTTP status code: 200 to 299, or 404 if a deletion was retried because its first
    /// response was lost, and the resource no longer exists.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.raw.status
    }

    /// Returns the number of requests sent, including retries.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.summary.attempts
    }

    /// Returns the duration of the call, including waits.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.summary.elapsed
    }

    /// Returns a header, or `None` if it is missing or not ASCII text. The name is not
    /// case-sensitive.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.raw.header(name)
    }

    /// Returns all headers, with names in lower case. Bytes that are not UTF-8 are replaced with
    /// U+FFFD.
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let headers = self.raw.headers.iter();
        headers.map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
    }

    /// Returns the request ID from `X-Request-Id` or `Request-Id`, for support requests.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.raw.request_id()
    }

    /// Returns the JSON text of the field `data`, or `None` if there is no such field. It is as received, unless
    /// a part of it could not be read: then, with what the [guide](crate::guide#responses) lists.
    #[must_use]
    pub fn raw_data(&self) -> Option<&str> {
        self.raw.body.data().ok()
    }

    /// Returns `true` if the body is an HTML page, as of a proxy or the login of a network. Such a response
    /// is probably not from the service, so a write may not have been applied although the call succeeded.
    #[must_use]
    pub fn is_page(&self) -> bool {
        is_page(&self.raw.body.bytes)
    }

    /// Returns the whole decompressed body. Empty if the call is a write and its body could not be
    /// read completely.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.raw.body.bytes
    }
}

impl<T> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status())
            .field("attempts", &self.attempts())
            .field("elapsed", &self.elapsed())
            .field("body_bytes", &self.raw.body.bytes.len())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(feature = "tracing")))]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Waker};

    use super::State;
    use crate::client::Client;

    #[tokio::test]
    async fn a_call_fits_into_a_small_block() {
        let client = Client::builder().base_url("http://localhost:1");
        let mut call = client.build().unwrap().badges();
        let _ = Pin::new(&mut call).poll(&mut Context::from_waker(Waker::noop()));
        let State::Sent(call) = &mut call.state else {
            panic!("the call was not sent");
        };
        let size = size_of_val(&**call.get_mut().unwrap());
        assert!(size <= 1032, "{size} bytes");
    }
}
