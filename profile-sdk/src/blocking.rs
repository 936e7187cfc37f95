//! A client for programs without an async runtime; feature `blocking`.

use std::sync::Arc;

use tokio::runtime::{self, Runtime};

use crate::client::ClientBuilder;
use crate::error::{Error, invalid_because};
use crate::values::ApiKey;

/// A [`Client`](crate::Client) with its own runtime. The current thread waits for calls; a
/// background thread monitors the connections.
///
/// Each call has the name, the arguments and the errors of the async call, and panics in an async
/// runtime, because waiting would block it. There, use `tokio::task::spawn_blocking`; the client
/// itself can be created and dropped. [`wait`](Self::wait) runs calls with settings of their own,
/// and returns status codes and headers. Clones share everything that clones of the async client
/// share, and can be used from several threads.
///
/// ```
/// # let starting = tokio::runtime::Builder::new_current_thread().build()?;
/// # let service = starting.block_on(mock_server::MockServer::start());
/// # drop(starting);
/// use profile_sdk::blocking::Client;
///
/// let builder = profile_sdk::Client::builder()
///     .base_url(service.uri())
///     .api_key(service.key().parse()?);
/// let client = Client::new(builder)?;
/// let me = client.me()?;
/// println!("Hello, {}", me.display_name.unwrap_or_default());
/// client.create_post("Hello, world")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    client: crate::client::Client,
    runtime: Arc<OwnRuntime>,
}

impl Client {
    /// Creates a client and its runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ClientBuilder::build`], and
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the operating system cannot start the
    /// runtime.
    pub fn new(builder: ClientBuilder) -> Result<Self, Error> {
        let client = builder.build()?;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("profile-sdk")
            .enable_all()
            .build()
            .map_err(|error| invalid_because("could not start the runtime", error))?;
        let runtime = Arc::new(OwnRuntime(Some(runtime)));
        Ok(Self { client, runtime })
    }

    /// Creates a client for another account, which shares the connections, the settings and the
    /// runtime of this one. See [`Client::with_api_key`](crate::Client::with_api_key).
    #[must_use]
    pub fn with_api_key(&self, api_key: ApiKey) -> Self {
        Self {
            client: self.client.with_api_key(api_key),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// Creates a client whose calls end when a future completes, which the runtime of this client polls. See
    /// [`Client::until`](crate::Client::until).
    #[must_use]
    pub fn until(&self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        Self {
            client: self.client.until(signal),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// Returns the async client, for calls with settings and for the state of the rate limit.
    #[must_use]
    pub fn as_async(&self) -> &crate::client::Client {
        &self.client
    }

    /// Runs a call of the async client, or the future that [`send`](crate::Call::send) returns, and
    /// waits for its result.
    ///
    /// # Panics
    ///
    /// Panics in an async runtime, because waiting would block it. Await the call there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # let starting = tokio::runtime::Builder::new_current_thread().build()?;
    /// # let service = starting.block_on(mock_server::MockServer::start());
    /// # drop(starting);
    /// # let builder = profile_sdk::Client::builder().base_url(service.uri());
    /// # let client = profile_sdk::blocking::Client::new(builder)?;
    /// let call = client.as_async().site_stats().total_timeout(Duration::from_secs(5));
    /// let response = client.wait(call.send())?;
    /// assert_eq!(response.status(), 200);
    /// println!("{} users", response.data().users);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wait<F: IntoFuture>(&self, call: F) -> F::Output {
        let OwnRuntime(runtime) = &*self.runtime;
        let runtime = runtime.as_ref().expect("a runtime until it is dropped");
        runtime.block_on(call.into_future())
    }
}

/// A runtime with one thread, which detects between calls that the service closes a connection.
#[derive(Debug)]
struct OwnRuntime(Option<Runtime>);

impl Drop for OwnRuntime {
    /// Does not wait for the thread to end, because dropping may happen in another runtime, which
    /// must not block.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
