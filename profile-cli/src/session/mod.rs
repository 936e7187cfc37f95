//! The context of a command: the settings, the client, and the output.

pub(crate) mod activity;
pub(crate) mod preview;
#[cfg(feature = "sandbox")]
pub(crate) mod sandbox;

use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

use profile_sdk::{ApiKey, Call, Client, ClientBuilder, Error, ErrorKind, Response, RetryPolicy};
use tokio::runtime::{Builder, Runtime};

use crate::input::prompt;
use crate::outcome::{Failure, FailureKind, Result, WriteOutcome, failure};
use crate::output::Output;
use crate::settings::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, SettingName, Settings, Source};
use crate::system::interruption::{self, Deferral};
use crate::terminal::{Progress, SafeUrl, add_secret};

use activity::Waits;

pub(crate) use preview::{DryRun, field_changes};

/// Time for the delays between attempts, added to the total timeout of a call.
const RETRY_DELAYS: Duration = Duration::from_secs(30);

/// The message after Ctrl-C before a change was sent.
const UNSENT: &str = "interrupted; this change was not sent";

/// One run of the program. The client and the runtime are created on first use.
pub(crate) struct Session<'a> {
    pub(crate) settings: Settings,
    pub(crate) output: &'a Output,
    /// The arguments of the program.
    pub(crate) words: &'a [OsString],
    waits: Waits,
    /// Exists from the first write until its outcome is printed.
    writing: RefCell<Option<Deferral>>,
    client: OnceCell<Client>,
    #[cfg(feature = "sandbox")]
    sandbox: OnceCell<mock_server::MockServer>,
    /// The base URL of the latest client.
    base_url: RefCell<Option<SafeUrl>>,
    runtime: OnceCell<Runtime>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(settings: Settings, output: &'a Output, words: &'a [OsString]) -> Self {
        Self {
            waits: Waits::new(&settings),
            writing: RefCell::default(),
            settings,
            output,
            words,
            client: OnceCell::new(),
            #[cfg(feature = "sandbox")]
            sandbox: OnceCell::new(),
            base_url: RefCell::default(),
            runtime: OnceCell::new(),
        }
    }

    /// Returns the client for the service in the settings. Sends nothing.
    pub(crate) fn client(&self) -> Result<&Client> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.client_of_settings()?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Creates the client, and starts the sandbox if it is selected.
    fn client_of_settings(&self) -> Result<Client> {
        #[cfg(feature = "sandbox")]
        if self.settings.sandbox {
            let server = self.block_on(sandbox::start(self.output))??;
            let server = self.sandbox.get_or_init(|| server);
            let key = ApiKey::new(server.key())?;
            return self.client_for(&SafeUrl::new(server.uri()), Some(key));
        }
        let base_url = self.settings.sources.base_url()?;
        // Calls that require no key work without it; others fail with the reason.
        let key = self.settings.key().ok().flatten();
        let warnings = key.iter().flat_map(|key| &key.text.warnings);
        self.output.warn_all(warnings);
        let key = key.map(|key| key.key.value.clone());
        self.client_for(&base_url.value, key)
    }

    /// Creates a client for a base URL and a key, with the other settings. Its key is redacted from now on.
    pub(crate) fn client_for(&self, base_url: &SafeUrl, key: Option<ApiKey>) -> Result<Client> {
        let settings = &self.settings;
        self.base_url.replace(Some(base_url.clone()));
        let waits = self.waits.clone();
        let mut builder = Client::builder()
            .base_url(base_url.expose())
            .user_agent(concat!("profile-cli/", env!("CARGO_PKG_VERSION")))
            .on_wait(move |wait| waits.record(wait));
        if let Some(key) = key {
            add_secret(&key);
            builder = builder.api_key(key);
        }
        if let Some(proxy) = proxy(base_url, settings)? {
            builder = builder.proxy(proxy.expose());
        }
        if settings.timeout.is_some() || settings.retries.is_some() {
            let timeout = settings.timeout.unwrap_or(DEFAULT_TIMEOUT);
            let retries = settings.retries.unwrap_or(DEFAULT_RETRIES);
            let attempts = timeout.saturating_mul(retries.saturating_add(1));
            builder = builder
                .connect_timeout(connect_timeout(timeout))
                .attempt_timeout(timeout)
                .total_timeout(attempts.saturating_add(RETRY_DELAYS))
                .retry(RetryPolicy::new().max_retries(retries));
        }
        // The base URL and the key are valid, so TLS cannot be set up.
        let client = builder.build();
        let client = client.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(client.until(async { _ = interruption::next().await }))
    }

    /// Sends a read.
    pub(crate) fn read<T>(&self, call: Call<T>) -> Result<Response<T>> {
        self.answer(call, None, |error| error.into())
    }

    /// Sends a read of `what`, which the error names if the service does not find it.
    pub(crate) fn read_about<T>(&self, what: &str, call: Call<T>) -> Result<Response<T>> {
        self.answer(call, None, |error| failure::about(what, error))
    }

    /// Sends a write of `what`, as `write_any` does. A page, which the service does not send, leaves the outcome
    /// unknown too.
    pub(crate) fn write<T>(
        &self,
        call: Call<T>,
        what: &str,
        check_command: &str,
    ) -> Result<Response<T>> {
        let response = self.write_any(call, what, check_command)?;
        match response.is_page() {
            true => Err(failure::of_response(what, check_command, &response)),
            false => Ok(response),
        }
    }

    /// Sends a write of `what`. If its outcome is unknown, a hint suggests `check_command`. This includes a
    /// deletion that was repeated after a lost response and then not found.
    pub(crate) fn write_any<T>(
        &self,
        call: Call<T>,
        what: &str,
        check_command: &str,
    ) -> Result<Response<T>> {
        interruption::check().map_err(|_| Failure::new(FailureKind::Interrupted, UNSENT))?;
        let failure = |error: &Error| failure::of_write(what, check_command, error);
        self.begin_write();
        let response = self.answer(call, Some(check_command), failure)?;
        match response.status() {
            404 => Err(failure::of_response(what, check_command, &response)),
            _ => Ok(response),
        }
    }

    /// Returns the failure of a call. If it is about the key of the settings, it says what to do with the source,
    /// or why no key was sent.
    pub(crate) fn failure(
        &self,
        error: &Error,
        failure: impl FnOnce(&Error) -> Failure,
    ) -> Failure {
        let is_about_key = matches!(
            error.kind(),
            ErrorKind::KeyMissing | ErrorKind::Unauthorized
        );
        if !is_about_key || self.settings.sandbox || self.client.get().is_none() {
            return failure(error);
        }
        match self.settings.key() {
            Ok(Some(key)) => failure(error).hint(key.key.source.advice()),
            Ok(None) => failure::without_key(failure(error)),
            Err(reason) => reason,
        }
    }

    /// Returns the base URL of the service, or `sandbox`.
    pub(crate) fn service(&self) -> Result<String> {
        match self.settings.sandbox {
            true => Ok("sandbox".to_owned()),
            false => Ok(self.settings.sources.base_url()?.value.expose().to_owned()),
        }
    }

    /// Sends a call, as `send` does, and returns its failure.
    fn answer<T>(
        &self,
        call: Call<T>,
        check_command: Option<&str>,
        failure: impl FnOnce(&Error) -> Failure,
    ) -> Result<Response<T>> {
        let answer = self.send(call, check_command)?;
        answer.map_err(|error| self.failure(&error, failure))
    }

    /// Sends a call. The outer failure is a usage error or an interruption. A write has a
    /// command that shows whether it was applied.
    pub(crate) fn send<T>(
        &self,
        call: Call<T>,
        check_command: Option<&str>,
    ) -> Result<Result<Response<T>, Error>> {
        let base_url = self.base_url.borrow().clone();
        activity::log_call(&call, base_url.as_ref());
        let answer = self.until_interrupted(call.send(), String::new)?;
        match answer {
            Err(error) if error.kind() == ErrorKind::Canceled => {
                Err(self.interrupted(&error, check_command))
            }
            answer => Ok(answer
                .inspect(activity::log_response)
                .inspect_err(activity::log_error)),
        }
    }

    /// Returns the failure of an interrupted call. A signal other than SIGINT ends a read, unless it is a part of a
    /// write.
    fn interrupted(&self, error: &Error, check_command: Option<&str>) -> Failure {
        let interrupted = |message| Failure::new(FailureKind::Interrupted, message);
        match check_command {
            None => {
                if self.writing.borrow().is_none() {
                    interruption::end_read();
                }
                interrupted("interrupted")
            }
            Some(check) if error.may_have_been_applied() => {
                interrupted("interrupted while a change was being sent")
                    .outcome(WriteOutcome::Unknown(check.to_owned()))
            }
            Some(_) => interrupted(UNSENT),
        }
    }

    /// Defers signals until the outcome of a write is printed, so that none ends the program without a word.
    pub(crate) fn begin_write(&self) {
        self.writing
            .borrow_mut()
            .get_or_insert_with(interruption::defer_first);
    }

    /// Ends the program by a signal again: the outcome of the write was printed.
    pub(crate) fn end_write(&self) {
        self.writing.take();
    }

    /// Runs a call, which ends at a signal, and shows the progress and what it waits for. Fails if there was a
    /// signal before.
    pub(crate) fn until_interrupted<F: Future>(
        &self,
        future: F,
        progress: impl Fn() -> String,
    ) -> Result<F::Output> {
        interruption::check()?;
        let base_url = self.base_url.borrow().clone();
        let (waits, retries) = (&self.waits, self.settings.retries);
        waits.begin();
        self.block_on(async {
            let _deferred = interruption::defer_first();
            tokio::select! {
                biased;
                output = future => output,
                never = waits.show(base_url.as_ref(), retries, progress) => never,
            }
        })
    }

    /// Starts showing the progress of work on several items, unless the settings hide it.
    pub(crate) fn progress(&self, label: &'static str, total: usize) -> Progress {
        Progress::begin(label, total, self.settings.hides_progress())
    }

    /// Asks for confirmation of an action that cannot be undone, unless `--yes` is given. If several
    /// accounts are stored, the question names the one whose key the requests have.
    pub(crate) fn confirm(&self, question: &str) -> Result<()> {
        if self.settings.yes {
            return Ok(());
        }
        let has_several = self.settings.sources.config.accounts().len() > 1;
        let source = self.key_source().filter(|_| has_several);
        let source = source.map_or_else(String::new, |source| format!(" ({source})"));
        prompt::confirm(&format!("{question}{source}"), self.settings.no_input)
    }

    /// Returns `true` if questions are permitted, and can be answered on a terminal.
    pub(crate) fn can_ask(&self) -> bool {
        !self.settings.no_input && prompt::is_interactive()
    }

    /// Returns the source of the key, except in the sandbox and before there is a client.
    pub(crate) fn key_source(&self) -> Option<&Source> {
        self.client.get().filter(|_| !self.settings.sandbox)?;
        Some(&self.settings.key().ok()??.key.source)
    }

    /// Runs a future to completion.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> Result<F::Output> {
        let runtime = match self.runtime.get() {
            Some(runtime) => runtime,
            None => {
                let built = Builder::new_current_thread().enable_all().build();
                let built = built.map_err(|error| {
                    Failure::other(format!("cannot start the async runtime: {error}"))
                })?;
                self.runtime.get_or_init(|| built)
            }
        };
        // The runtime is compiled for one type of future rather than for each call.
        let mut output = None;
        let future = async { output = Some(future.await) };
        runtime.block_on::<Pin<&mut dyn Future<Output = ()>>>(pin!(future));
        Ok(output.expect("the future has ended"))
    }
}

/// Returns the time limit of a connection. It is shorter than that of a request, so that the error says that
/// nothing was sent.
pub(crate) fn connect_timeout(timeout: Duration) -> Duration {
    (timeout.mul_f32(0.9)).min(ClientBuilder::DEFAULT_CONNECT_TIMEOUT)
}

/// Returns the valid proxy for a URL, if the settings name one.
pub(crate) fn proxy(url: &SafeUrl, settings: &Settings) -> Result<Option<SafeUrl>> {
    let sources = &settings.sources;
    let Some(proxy) = sources.proxy(url)? else {
        return Ok(None);
    };
    sources.read(SettingName::Proxy, |text| SettingName::Proxy.check(text))?;
    Ok(Some(proxy.value))
}
