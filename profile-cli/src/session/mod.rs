//! The context of a command: the settings, the client, and the output.

pub(crate) mod curl;
pub(crate) mod dry_run;
pub(crate) mod log;
#[cfg(feature = "sandbox")]
pub(crate) mod sandbox;
mod waits;

use std::cell::OnceCell;
use std::future::Future;
use std::time::Duration;

use profile_sdk::{
    ApiKey, Call, Client, ClientBuilder, Error, ErrorKind, Request, Response, RetryPolicy,
};
use tokio::runtime::{Builder, Runtime};

use crate::input::prompt;
use crate::outcome::failed_call;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::output::Output;
use crate::settings::{
    DEFAULT_RETRIES, DEFAULT_TIMEOUT, Found, Key, SettingName, Settings, Source, base_url_message,
};
use crate::system::interruption::InterruptGuard;

use waits::Waits;

/// Time for the delays between attempts, added to the total timeout of a call.
const RETRY_DELAYS: Duration = Duration::from_secs(30);

/// One run of the program. The client and the runtime are created on first use.
pub(crate) struct Session<'a> {
    pub(crate) settings: Settings,
    pub(crate) output: &'a Output,
    waits: Option<Waits>,
    connection: OnceCell<Connection>,
    runtime: OnceCell<Runtime>,
}

impl Drop for Session<'_> {
    /// Does not wait for threads that still look up a host after a timeout.
    fn drop(&mut self) {
        // The connection has tasks on the runtime.
        drop(self.connection.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

struct Connection {
    client: Client,
    base_url: String,
    has_key: bool,
    #[cfg(feature = "sandbox")]
    _sandbox: Option<crate::session::sandbox::Sandbox>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(settings: Settings, output: &'a Output) -> Self {
        Self {
            waits: Waits::start(&settings),
            settings,
            output,
            connection: OnceCell::new(),
            runtime: OnceCell::new(),
        }
    }

    /// Returns the client for the service in the settings. Sends nothing.
    pub(crate) fn client(&self) -> Result<&Client, Failure> {
        self.connection().map(|connection| &connection.client)
    }

    /// Creates a client for another base URL and key, with the other settings unchanged.
    pub(crate) fn client_of(&self, base_url: &str, key: Option<ApiKey>) -> Result<Client, Failure> {
        let builder = self.builder(base_url)?;
        let builder = match key {
            Some(key) => builder.api_key(key),
            None => builder,
        };
        builder
            .build()
            .map_err(|error| Failure::usage(base_url_message(&error)))
    }

    /// Sends a read and returns the report on its response; with `--curl`, the curl command.
    pub(crate) fn read_or_curl<T>(
        &self,
        call: Call<T>,
        report: impl FnOnce(Response<T>) -> Result<Report, Failure>,
    ) -> Result<Report, Failure> {
        match self.curl_preview(std::slice::from_ref(&call))? {
            Some(preview) => Ok(preview),
            None => report(self.read(call)?),
        }
    }

    /// Sends a write, as `write` does, and returns the report on its response; with `--curl`, the
    /// curl command.
    pub(crate) fn write_or_curl<T>(
        &self,
        call: Call<T>,
        what: &str,
        check_command: &str,
        report: impl FnOnce(Response<T>) -> Result<Report, Failure>,
    ) -> Result<Report, Failure> {
        match self.curl_preview(std::slice::from_ref(&call))? {
            Some(preview) => Ok(preview),
            None => report(self.write(call, what, check_command)?),
        }
    }

    /// Sends a read.
    pub(crate) fn read<T>(&self, call: Call<T>) -> Result<Response<T>, Failure> {
        self.read_or(call, Failure::from)
    }

    /// Sends a read of `what`, which the error names if the service does not find it.
    pub(crate) fn read_about<T>(&self, what: &str, call: Call<T>) -> Result<Response<T>, Failure> {
        self.read_or(call, |error| failed_call::about(what, error))
    }

    fn read_or<T>(
        &self,
        call: Call<T>,
        failure: impl FnOnce(Error) -> Failure,
    ) -> Result<Response<T>, Failure> {
        match self.send(call)? {
            Some(answer) => {
                answer.map_err(|error| self.withheld(&error).unwrap_or_else(|| failure(error)))
            }
            None => Err(Failure::new(FailureKind::Interrupted, "interrupted")),
        }
    }

    /// Sends a write of `what`. If its outcome is unknown, the hint suggests `check_command`.
    pub(crate) fn write<T>(
        &self,
        call: Call<T>,
        what: &str,
        check_command: &str,
    ) -> Result<Response<T>, Failure> {
        match self.send(call)? {
            Some(answer) => {
                let failure = |error| failed_call::of_write(what, check_command, error);
                answer.map_err(|error| self.withheld(&error).unwrap_or_else(|| failure(error)))
            }
            None => Err(Failure::interrupted().hint(format!(
                "the outcome is unknown; check with `{check_command}` before you try again"
            ))),
        }
    }

    /// Returns the reason why the stored key was not sent, if the call failed without it.
    fn withheld(&self, error: &Error) -> Option<Failure> {
        let has_key = self
            .connection
            .get()
            .is_none_or(|connection| connection.has_key);
        match error.kind() {
            ErrorKind::KeyMissing | ErrorKind::Unauthorized if !has_key => {
                Key::find(&self.settings).err()
            }
            _ => None,
        }
    }

    /// Sends a write. The outer failure is an interruption by Ctrl-C.
    pub(crate) fn attempt<T>(&self, call: Call<T>) -> Result<Result<Response<T>, Error>, Failure> {
        self.send(call)?.ok_or_else(Failure::interrupted)
    }

    /// Returns the base URL of the service, or `sandbox`.
    pub(crate) fn service(&self) -> Result<String, Failure> {
        match self.settings.sandbox {
            true => Ok("sandbox".to_owned()),
            false => Ok(self.settings.base_url()?.value),
        }
    }

    /// Sends a call and returns its result, or `None` if Ctrl-C was pressed first.
    pub(crate) fn send<T>(
        &self,
        call: Call<T>,
    ) -> Result<Option<Result<Response<T>, Error>>, Failure> {
        debug_assert!(!self.settings.curl, "--curl sends nothing");
        log::sending(&call);
        let answer = self.block_on(async {
            let _guard = InterruptGuard::new();
            tokio::select! {
                answer = call.send() => Some(answer),
                never = self.show_wait() => never,
                _ = tokio::signal::ctrl_c() => None,
            }
        })?;
        match &answer {
            Some(Ok(response)) => {
                let client = self.connection.get().map(|connection| &connection.client);
                log::received(response, client);
            }
            Some(Err(error)) => log::failed(error),
            None => {}
        }
        Ok(answer)
    }

    /// Shows what is waited for, on a terminal. Never returns.
    async fn show_wait<T>(&self) -> T {
        match &self.waits {
            Some(waits) => {
                let service = self
                    .connection
                    .get()
                    .map(|connection| &*connection.base_url);
                let host = service.and_then(|service| service.split("://").nth(1));
                let host = host.unwrap_or("the service").trim_end_matches('/');
                waits.show(host, self.settings.retries).await
            }
            None => std::future::pending().await,
        }
    }

    /// Returns the calls as curl commands if `--curl` is given.
    pub(crate) fn curl_preview<T>(&self, calls: &[Call<T>]) -> Result<Option<Report>, Failure> {
        if !self.settings.curl {
            return Ok(None);
        }
        self.as_curl(&requests(calls)?).map(Some)
    }

    /// Returns the curl commands for these requests.
    pub(crate) fn as_curl(&self, requests: &[&Request]) -> Result<Report, Failure> {
        if self.settings.sandbox {
            let message =
                "--curl cannot be used with --sandbox: the sandbox stops when the command ends";
            return Err(Failure::usage(message).hint("start a server with `profile sandbox serve`"));
        }
        let connection = self.connection()?;
        let command = |request: &&Request| {
            let with_key = request.operation().requires_key() || connection.has_key;
            curl::command(&connection.base_url, request, with_key)
        };
        let commands: Vec<_> = requests.iter().map(command).collect();
        if commands
            .iter()
            .any(|command| command.contains("$PROFILE_API_KEY"))
            && let Some(arguments) = self.token_arguments()?
        {
            self.output.note(&format!(
                "run `export PROFILE_API_KEY=$(profile auth token{arguments})` before the command"
            ));
        }
        Ok(Report::text(commands.join("\n"), "curl"))
    }

    /// Returns the arguments with which `profile auth token` prints the key of the requests, or
    /// `None` if it is in PROFILE_API_KEY. Fails if the key is for another service.
    fn token_arguments(&self) -> Result<Option<String>, Failure> {
        let key = Key::find(&self.settings)?;
        Ok(match key.map(|key| key.key.source) {
            Some(Source::Environment("PROFILE_API_KEY")) => None,
            Some(Source::Account(name)) => Some(format!(" --account {name}")),
            _ => Some(String::new()),
        })
    }

    /// Asks for confirmation of an action that cannot be undone, unless `--yes` is given.
    pub(crate) fn confirm(&self, question: &str) -> Result<(), Failure> {
        if self.settings.yes {
            return Ok(());
        }
        prompt::confirm(question, self.settings.no_input)
    }

    /// Runs a future to completion.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> Result<F::Output, Failure> {
        Ok(self.runtime()?.block_on(future))
    }

    fn runtime(&self) -> Result<&Runtime, Failure> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let built = Builder::new_current_thread().enable_all().build();
        let runtime = built.map_err(|error| {
            Failure::new(
                FailureKind::Other,
                format!("cannot start the async runtime: {error}"),
            )
        })?;
        Ok(self.runtime.get_or_init(|| runtime))
    }

    fn connection(&self) -> Result<&Connection, Failure> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection);
        }
        let connection = self.connect()?;
        Ok(self.connection.get_or_init(|| connection))
    }

    fn connect(&self) -> Result<Connection, Failure> {
        #[cfg(feature = "sandbox")]
        if self.settings.sandbox {
            let dialect = sandbox::dialect(&self.settings)?;
            let sandbox = self.block_on(sandbox::Sandbox::start(dialect))??;
            let base_url = sandbox.base_url();
            let builder = self.builder(&base_url)?.api_key(sandbox.api_key()?);
            return Ok(Connection {
                client: builder.build()?,
                base_url,
                has_key: true,
                _sandbox: Some(sandbox),
            });
        }
        let base_url = self.settings.base_url()?;
        let mut builder = self.builder(&base_url.value)?;
        let key = match Key::find_any(&self.settings)? {
            Found::Key(key) => Some(key),
            // Calls that require no key work without it; others fail with the reason.
            Found::Withheld(_) | Found::Nothing => None,
        };
        let has_key = key.is_some();
        if let Some(key) = key {
            if let Some(warning) = key.warning {
                self.output.warn(&warning);
            }
            builder = builder.api_key(key.key.value);
        }
        // The key is already validated, so only the base URL can be invalid.
        let built = builder.build();
        let client = built.map_err(|error| {
            let failure = Failure::usage(base_url_message(&error));
            failure.hint(format!("check the base URL from {}", base_url.source))
        })?;
        Ok(Connection {
            client,
            base_url: base_url.value,
            has_key,
            #[cfg(feature = "sandbox")]
            _sandbox: None,
        })
    }

    fn builder(&self, base_url: &str) -> Result<ClientBuilder, Failure> {
        let mut builder = Client::builder()
            .base_url(base_url)
            .user_agent(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
        if let Some(proxy) = self.settings.proxy(base_url)? {
            let check = SettingName::Proxy.check(&proxy.value);
            let place = self.settings.location(SettingName::Proxy, &proxy.source);
            check.map_err(|reason| Failure::usage(format!("{place}: the proxy {reason}")))?;
            builder = builder.proxy(proxy.value);
        }
        let Settings {
            timeout, retries, ..
        } = self.settings;
        if timeout.is_none() && retries.is_none() {
            return Ok(builder);
        }
        let timeout = timeout.unwrap_or(DEFAULT_TIMEOUT);
        let retries = retries.unwrap_or(DEFAULT_RETRIES);
        let total = timeout
            .saturating_mul(retries.saturating_add(1))
            .saturating_add(RETRY_DELAYS);
        Ok(builder
            .connect_timeout(timeout.min(ClientBuilder::DEFAULT_CONNECT_TIMEOUT))
            .attempt_timeout(timeout)
            .total_timeout(total)
            .retry(RetryPolicy::new().max_retries(retries)))
    }
}

/// Returns the requests of the calls, or the failure of the first invalid one.
pub(crate) fn requests<T>(calls: &[Call<T>]) -> Result<Vec<&Request>, Failure> {
    let requests = calls.iter().map(Call::request);
    requests.collect::<Result<_, _>>().map_err(Failure::unsent)
}
