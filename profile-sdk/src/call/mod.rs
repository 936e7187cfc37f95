//! A call that is sent when it is awaited.

mod attempts;
mod raw;
mod response;
mod trace;

pub use raw::RawCall;
pub use response::Response;

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use crate::decode;
use crate::decode::answer::{Answer, Resource};
use crate::retry::patience::Patience;
use crate::transport::raw_response::RawResponse;
use crate::{Client, Error, Request, RetryPolicy};

/// One call to the service, not yet sent.
///
/// Awaiting it sends it and gives the value; [`send`](Self::send) gives the value with the status,
/// headers and body of the answer; [`request`](Self::request) shows what would be sent.
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
/// It is [`IntoFuture`] and no future itself. Where one is asked for, to run several calls at a time
/// or beside something else, `into_future` gives it:
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
///     () = tokio::time::sleep(Duration::from_secs(5)) => println!("given up, and so cancelled"),
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
    patience: Patience,
}

impl<T> Call<T> {
    /// A call whose answer is read like this.
    pub(crate) fn of(
        client: &Client,
        request: Result<Request, Error>,
        read: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        Self {
            client: client.clone(),
            request,
            read,
            patience: client.patience(),
        }
    }

    /// A call whose answer holds the value under `data`.
    pub(crate) fn reading(client: &Client, request: Request) -> Self
    where
        T: Answer,
    {
        Self::of(client, Ok(request), decode::read_data)
    }

    /// How long each attempt of this call may take from its first byte sent to its last byte read,
    /// in place of the client's setting.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # let client = profile_sdk::Client::builder().base_url("https://profiles.example").build()?;
    /// let call = client.me().attempt_timeout(Duration::from_secs(2));
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.patience.attempt_timeout = timeout;
        self
    }

    /// How long this call may take with all its attempts and waits, in place of the client's
    /// setting.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # let client = profile_sdk::Client::builder().base_url("https://profiles.example").build()?;
    /// let call = client.me().total_timeout(Duration::from_secs(5));
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.patience.total_timeout = timeout;
        self
    }

    /// How often this call is repeated, in place of the client's setting.
    ///
    /// ```
    /// # use profile_sdk::RetryPolicy;
    /// # let client = profile_sdk::Client::builder().base_url("https://profiles.example").build()?;
    /// let call = client.me().retry(RetryPolicy::none());
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.patience.retry = policy;
        self
    }

    /// What would be sent, without the key.
    ///
    /// # Errors
    ///
    /// When the call was made from a value that the service cannot take, such as an empty
    /// [`LinkUpdate`](crate::LinkUpdate).
    pub fn request(&self) -> Result<&Request, &Error> {
        self.request.as_ref()
    }

    /// Sends the call and gives the answer with its status, headers and body.
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
    pub async fn send(self) -> Result<Response<T>, Error> {
        match self.request {
            Ok(ref request) => self.exchange(request).await,
            Err(error) => Err(error),
        }
    }

    async fn exchange(&self, request: &Request) -> Result<Response<T>, Error> {
        let (answer, attempts) = attempts::exchange(&self.client, request, &self.patience).await?;
        match (self.read)(&answer.body) {
            Ok(data) => Ok(Response::new(data, answer)),
            Err(_) => {
                let unreadable = |answer: RawResponse| {
                    // Read again, since the error shows the start of the body.
                    let reason = (self.read)(&answer.body).err().unwrap_or_default();
                    Error::unreadable(reason, answer)
                };
                let error = self.client.error_of(answer, unreadable);
                Err(error.during(request.operation()).after(attempts.effort()))
            }
        }
    }
}

impl<T> Call<Option<T>> {
    /// A call whose answer may hold the resource as it now is.
    pub(crate) fn writing(client: &Client, request: Request) -> Self
    where
        T: Resource,
    {
        Self::of(client, Ok(request), |body| Ok(decode::read_written(body)))
    }

    /// The same call, which fails before anything is sent if the request is not one.
    pub(crate) fn unless(mut self, refused: Option<Error>) -> Self {
        if let (Some(error), Ok(request)) = (refused, &self.request) {
            self.request = Err(error.during(request.operation()));
        }
        self
    }
}

impl Call<()> {
    /// A call of whose answer only the status matters.
    pub(crate) fn removing(client: &Client, request: Request) -> Self {
        Self::of(client, Ok(request), |_| Ok(()))
    }
}

impl<T: Send + 'static> IntoFuture for Call<T> {
    type Output = Result<T, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        // Not `send`, whose future would hold the call twice.
        Box::pin(async move {
            match self.request {
                Ok(ref request) => self.exchange(request).await.map(Response::into_data),
                Err(error) => Err(error),
            }
        })
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("request", &self.request)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
