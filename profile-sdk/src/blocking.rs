//! A client for programs without an async runtime; feature `blocking`.

use std::future::IntoFuture;
use std::ops::Deref;
use std::sync::Arc;

use tokio::runtime::{self, Runtime};

use crate::transport::tls::setup_error;
use crate::{ClientBuilder, Error};

/// A [`Client`](crate::Client) with its own runtime. The current thread waits for calls; a
/// background thread watches over the connections.
///
/// It dereferences to the async client, so all calls, settings and errors are the same. Clones
/// share everything that clones of the async client share, and can be used from several threads.
///
/// ```
/// # let starting = tokio::runtime::Builder::new_current_thread().build()?;
/// # let service = starting.block_on(mock_server::MockServer::start());
/// # drop(starting);
/// use profile_sdk::{ApiKey, blocking::Client};
///
/// let builder = profile_sdk::Client::builder()
///     .base_url(service.uri())
///     .api_key(ApiKey::new(service.key())?);
/// let client = Client::new(builder)?;
/// let me = client.wait(client.me())?;
/// println!("Hello, {}", me.display_name.unwrap_or_default());
/// let response = client.wait(client.badges().send())?;
/// assert_eq!(response.status(), 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    client: crate::Client,
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
    ///
    /// # Examples
    ///
    /// ```
    /// use profile_sdk::blocking::Client;
    ///
    /// let builder = profile_sdk::Client::builder().base_url("https://profiles.example");
    /// let client = Client::new(builder)?;
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn new(builder: ClientBuilder) -> Result<Self, Error> {
        Ok(Self {
            client: builder.build()?,
            runtime: Arc::new(OwnRuntime::start()?),
        })
    }

    /// Runs a call of this client, or the future that [`send`](crate::Call::send) returns, and
    /// waits for its result.
    ///
    /// # Panics
    ///
    /// Panics in an async runtime, because waiting would block it. Await the call there.
    ///
    /// # Examples
    ///
    /// ```
    /// # let starting = tokio::runtime::Builder::new_current_thread().build()?;
    /// # let service = starting.block_on(mock_server::MockServer::start());
    /// # drop(starting);
    /// # let builder = profile_sdk::Client::builder().base_url(service.uri());
    /// # let client = profile_sdk::blocking::Client::new(builder)?;
    /// let site = client.wait(client.site_stats())?;
    /// println!("{} users", site.users);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wait<F: IntoFuture>(&self, call: F) -> F::Output {
        let OwnRuntime(runtime) = &*self.runtime;
        let runtime = runtime.as_ref().expect("a runtime until it is dropped");
        runtime.block_on(call.into_future())
    }
}

impl Deref for Client {
    type Target = crate::Client;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

/// A runtime with one thread, which notices between calls that the service closes a connection.
#[derive(Debug)]
struct OwnRuntime(Option<Runtime>);

impl OwnRuntime {
    fn start() -> Result<Self, Error> {
        runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("profile-sdk")
            .enable_all()
            .build()
            .map(|runtime| Self(Some(runtime)))
            .map_err(|error| setup_error("could not start the runtime", error))
    }
}

impl Drop for OwnRuntime {
    /// Does not wait for the thread to end, because dropping may happen in another runtime, which
    /// must not block.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
