//! The options of a server, and its start.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use clap::Args;
use mock_server::files::{self, read_secret, read_text};
use mock_server::journal::JournalLimits;
use mock_server::{
    Dialect, FaultRule, InvalidInput, StateFile, World, Worlds, WorldsServer, printable,
    run_blocking,
};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::failure::{Failure, warn};

/// The options of a server.
#[derive(Debug, Args)]
pub(crate) struct ServerOptions {
    /// Address to listen on; port 0 selects a free port
    // The container image passes one itself.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0", value_parser = address, overrides_with = "addr")]
    pub(crate) addr: String,
    /// Seed for keys and statistics; an existing state file keeps its own [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Behavior where the specification is silent: default, minimal, maximal, random:SEED, or a JSON
    /// file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) dialect: Option<DialectChoice>,
    /// Store the state in this file; created if it does not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Receiver of webhook events (http:// URL); events are sent through the control API
    #[arg(long, value_name = "URL", requires = "webhook_secret_file", value_parser = webhook_url)]
    webhook_url: Option<String>,
    /// File with the webhook secret; one trailing line break and a byte order mark are ignored
    #[arg(long, value_name = "FILE", requires = "webhook_url")]
    webhook_secret_file: Option<PathBuf>,
    /// JSON file with a fault rule or an array of fault rules
    #[arg(long, value_name = "FILE")]
    pub(crate) fault: Option<PathBuf>,
    /// Let web pages of this origin use the service, such as http://localhost:3000, or * for any; repeatable
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// Host name that the control API serves besides IP addresses and localhost; repeatable
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Log each request to stderr, without its key
    #[arg(long)]
    pub(crate) log: bool,
    /// Maximum number of requests in the journal of a world
    #[arg(long, value_name = "N", default_value_t = JournalLimits::default().entries)]
    journal_entries: usize,
    /// Maximum memory of the journal of a world in bytes
    #[arg(long, value_name = "BYTES", default_value_t = JournalLimits::default().bytes)]
    journal_bytes: usize,
    /// Maximum number of bytes that the journal records of each body
    #[arg(long, value_name = "BYTES", default_value_t = JournalLimits::default().body_bytes)]
    journal_body_bytes: usize,
}

/// Checks the form of an address. Its host is resolved later.
fn address(text: &str) -> Result<String, &'static str> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(text.into()),
        _ => Err("expected a host and a port, such as 127.0.0.1:8080"),
    }
}

fn webhook_url(url: &str) -> Result<String, InvalidInput> {
    World::default().set_webhook_receiver(url, "any secret")?;
    Ok(url.to_owned())
}

/// A named dialect, or a file with settings.
#[derive(Debug, Clone)]
pub(crate) enum DialectChoice {
    Named(Box<Dialect>),
    File(PathBuf),
}

impl FromStr for DialectChoice {
    type Err = String;

    /// Prefers a named dialect to a file of the same name; `./NAME` selects the file.
    fn from_str(text: &str) -> Result<Self, String> {
        match Dialect::named(text) {
            Ok(dialect) => Ok(Self::Named(Box::new(dialect))),
            Err(_) if fs::exists(text).unwrap_or(false) => Ok(Self::File(text.into())),
            Err(error) => Err(format!("{error}, or an existing file")),
        }
    }
}

/// The options of the control API.
#[derive(Debug, Args)]
pub(crate) struct ControlOptions {
    /// File with a token that the control API requires (Authorization: Bearer TOKEN)
    #[arg(long, value_name = "FILE")]
    control_token_file: Option<PathBuf>,
    /// Disable the control API
    // The container image passes `--allow-host` itself.
    #[arg(long, conflicts_with = "control_token_file")]
    no_control: bool,
}

impl ControlOptions {
    /// Reads the token. It may wait for a pipe.
    pub(crate) async fn token(&self) -> Result<Option<String>, Failure> {
        let file = self.control_token_file.clone();
        let token = move || file.map(|path| read("control token", &path, read_text));
        run_blocking(|| token().transpose()).await
    }

    /// Applies the options and the token to the servers.
    pub(crate) fn apply(
        &self,
        token: Option<&str>,
        servers: Vec<WorldsServer>,
    ) -> Result<Vec<WorldsServer>, Failure> {
        let apply = |server: WorldsServer| match (token, &self.control_token_file) {
            _ if self.no_control => Ok(server.without_control()),
            (Some(token), Some(path)) => server
                .control_token(token.trim_end())
                .map_err(Failure::in_file("control token", path)),
            _ => Ok(server),
        };
        servers.into_iter().map(apply).collect()
    }
}

/// Reads the settings for a new world or one from a state file. Returns a function that applies them, and
/// returns `true` if this changed the dialect of the world.
fn settings(options: &ServerOptions) -> Result<impl Fn(&mut World) -> bool + use<>, Failure> {
    let dialect = options.dialect.as_ref().map(dialect).transpose()?;
    let mut webhook = None;
    if let (Some(url), Some(file)) = (&options.webhook_url, &options.webhook_secret_file) {
        let secret = read("webhook secret", file, read_secret)?;
        webhook = Some((url.clone(), secret));
    }
    Ok(move |world: &mut World| {
        if let Some((url, secret)) = &webhook {
            let set = world.set_webhook_receiver(url, &**secret);
            set.expect("URL and secret were checked when they were read");
        }
        let changed = dialect.clone().filter(|new| new != world.dialect());
        changed.map(|new| world.set_dialect(new)).is_some()
    })
}

/// Returns a named dialect, or reads one from a file.
pub(crate) fn dialect(choice: &DialectChoice) -> Result<Dialect, Failure> {
    let path = match choice {
        DialectChoice::Named(dialect) => return Ok((**dialect).clone()),
        DialectChoice::File(path) => path,
    };
    let text = read("dialect", path, read_text)?;
    Dialect::from_json(&text).map_err(Failure::in_file("dialect", path))
}

/// Reads a text file with `read`, which warns of a byte order mark.
pub(crate) fn read<T>(
    what: &'static str,
    path: &Path,
    read: impl FnOnce(&Path, fn(&str)) -> io::Result<T>,
) -> Result<T, Failure> {
    let action = format!("read the {what} file {}", path.display());
    read(path, warn).map_err(Failure::of(action))
}

/// Creates the worlds of a server. It may wait for the lock of the state file.
pub(crate) async fn worlds(options: Arc<ServerOptions>) -> Result<Worlds, Failure> {
    run_blocking(move || create_worlds(&options)).await
}

fn create_worlds(options: &ServerOptions) -> Result<Worlds, Failure> {
    let settings = settings(options)?;
    let mut world = World::new(options.seed.unwrap_or_default());
    settings(&mut world);
    let mut worlds = match &options.state {
        None => Worlds::in_memory(world),
        Some(path) => in_file(path, world, options, settings)?,
    };
    worlds.set_journal_limits(JournalLimits {
        entries: options.journal_entries,
        bytes: options.journal_bytes,
        body_bytes: options.journal_body_bytes,
    });
    for origin in &options.cors {
        let added = worlds.add_cors(origin);
        added.map_err(Failure::in_option("--cors"))?;
    }
    for name in &options.allow_host {
        let allowed = worlds.allow_host(name);
        allowed.map_err(Failure::in_option("--allow-host"))?;
    }
    if let Some(seed) = options.seed
        && worlds.keys() != World::new(seed).keys()
    {
        // The same seed always yields the same keys, so these come from a state file.
        warn(&format!(
            "--seed {seed} is ignored: the state file has its own seed; use another file to start over"
        ));
    }
    if let Some(path) = &options.fault {
        FaultRule::from_json(&read("fault", path, read_text)?)
            .and_then(|rules| worlds.add_faults(rules))
            .map_err(Failure::in_file("fault", path))?;
    }
    Ok(worlds)
}

/// Opens a state file and applies the settings of the command line, which override those of the file.
fn in_file(
    path: &Path,
    world: World,
    options: &ServerOptions,
    settings: impl Fn(&mut World) -> bool,
) -> Result<Worlds, Failure> {
    let missing = Some(files::directory(path)).filter(|directory| !directory.exists());
    let mut worlds = Worlds::in_file(StateFile::new(path), world)?;
    if let Some(directory) = missing {
        warn(&format!("created the directory {}", directory.display()));
    }
    let is_set = options.dialect.is_some() || options.webhook_url.is_some();
    if is_set && worlds.update(settings)? {
        warn("--dialect replaces the dialect of the state file");
    }
    Ok(worlds)
}

/// Binds all addresses of a name, so that no client reaches another program, and creates a server for each,
/// which logs to `log`.
pub(crate) fn listen(
    worlds: &Arc<Worlds>,
    addr: &str,
    log: Option<&Log>,
) -> Result<Vec<WorldsServer>, Failure> {
    let failed = |reason| Failure::listen(addr, reason);
    let addresses: Vec<_> = addr.to_socket_addrs().map_err(failed)?.collect();
    let is_any_port = addresses.iter().any(|address| address.port() == 0);
    // Bound until the end, so that each attempt gets another port.
    let mut rejected = Vec::new();
    let mut bound = bind(addr, &addresses, &mut rejected);
    for _ in 0..ATTEMPTS {
        // Another program may have the port at one of the addresses only.
        if let Err(Failure::Listen { reason, .. }) = &bound
            && reason.kind() == io::ErrorKind::AddrInUse
            && is_any_port
        {
            bound = bind(addr, &addresses, &mut rejected);
        }
    }
    let serve = |listener| {
        let server = WorldsServer::new(worlds.clone(), listener)?;
        Ok(match log {
            Some(log) => server.log(log.writer()),
            None => server,
        })
    };
    let servers = bound?.into_iter().map(serve);
    servers.collect::<io::Result<_>>().map_err(failed)
}

/// Maximum number of further ports to try.
const ATTEMPTS: usize = 20;

/// Binds the addresses of `addr`; with port 0, all to the same port. Fails if one is in use.
fn bind(
    addr: &str,
    addresses: &[SocketAddr],
    rejected: &mut Vec<(SocketAddr, TcpListener)>,
) -> Result<Vec<TcpListener>, Failure> {
    let mut bound = Vec::<(SocketAddr, TcpListener)>::new();
    let mut missing = io::ErrorKind::NotFound.into();
    for mut address in addresses.iter().copied() {
        if let Some((first, _)) = bound.first() {
            address.set_port(first.port());
        }
        // A system may list an address twice.
        if bound.iter().any(|(own, _)| *own == address) {
            continue;
        }
        match TcpListener::bind(address).and_then(|one| Ok((one.local_addr()?, one))) {
            Ok(listening) => bound.push(listening),
            Err(reason) if reason.kind() == io::ErrorKind::AddrInUse => {
                rejected.append(&mut bound);
                return Err(Failure::listen(address, reason));
            }
            // `localhost` is often also an IPv6 address where there is no IPv6.
            Err(reason) => missing = reason,
        }
    }
    match bound.is_empty() {
        true => Err(Failure::listen(addr, missing)),
        false => Ok(bound.into_iter().map(|(_, listener)| listener).collect()),
    }
}

/// Serves until the sender of `stop` is dropped.
pub(crate) fn serve(
    servers: Vec<WorldsServer>,
    stop: &watch::Receiver<()>,
) -> JoinSet<io::Result<()>> {
    let serving = servers.into_iter().map(|server| {
        let mut stop = stop.clone();
        server.serve_until(async move {
            let _ = stop.changed().await;
        })
    });
    serving.collect()
}

/// A thread that writes log lines to stderr, which may block.
pub(crate) struct Log {
    lines: SyncSender<Option<String>>,
    /// Notified when the thread ends.
    written: Receiver<()>,
}

impl Log {
    pub(crate) fn start() -> Self {
        const WAITING: usize = 1024;
        let (lines, waiting) = sync_channel::<Option<String>>(WAITING);
        let (ended, written) = sync_channel(1);
        thread::spawn(move || {
            while let Ok(Some(line)) = waiting.recv() {
                // Ignore a closed stderr.
                let _ = writeln!(io::stderr(), "{line}");
            }
            let _ = ended.send(());
        });
        Self { lines, written }
    }

    /// Returns a function that logs a line. If stderr blocks, lines are dropped so that requests are
    /// not delayed.
    pub(crate) fn writer(&self) -> impl Fn(fmt::Arguments<'_>) + Send + Sync + 'static {
        let lines = self.lines.clone();
        move |line| {
            let _ = lines.try_send(Some(printable(&line.to_string())));
        }
    }

    /// Gives the thread a moment to write the remaining lines.
    pub(crate) fn finish(self) {
        if self.lines.try_send(None).is_ok() {
            let _ = self.written.recv_timeout(Duration::from_millis(100));
        }
    }
}
