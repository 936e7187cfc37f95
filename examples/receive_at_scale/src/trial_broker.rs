//! A broker of one's own for a trial or a test: a `nats-server` on a free port, with its data in a
//! temporary folder.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// How long the program may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// A running `nats-server`, which is stopped when this is dropped.
#[derive(Debug)]
pub struct TrialBroker {
    process: Child,
    program: PathBuf,
    port: u16,
    folder: TempDir,
}

impl TrialBroker {
    /// Starts the program that `NATS_SERVER` names, or the `nats-server` of this machine; nothing
    /// when it has none.
    ///
    /// # Errors
    ///
    /// When the program cannot be started, or is not ready within 20 seconds.
    ///
    /// ```no_run
    /// # async fn start() -> std::io::Result<()> {
    /// match receive_at_scale::TrialBroker::start().await? {
    ///     Some(broker) => println!("{}", broker.url()),
    ///     None => println!("no nats-server here"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn start() -> io::Result<Option<Self>> {
        let Some(program) = find_program() else {
            return Ok(None);
        };
        let folder = TempDir::new()?;
        // The port -1 asks for a free one, which the program writes into a file.
        let process = spawn(&program, folder.path(), "-1")?;
        let port = in_time(port_told(folder.path())).await?;
        Ok(Some(Self {
            process,
            program,
            port,
            folder,
        }))
    }

    /// What clients connect to, such as `nats://127.0.0.1:40123`.
    ///
    /// ```no_run
    /// # fn show(broker: &receive_at_scale::TrialBroker) {
    /// assert!(broker.url().starts_with("nats://127.0.0.1:"));
    /// # }
    /// ```
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the program, without time to tidy up, and starts it again on its data.
    ///
    /// # Errors
    ///
    /// As [`TrialBroker::start`].
    ///
    /// ```no_run
    /// # async fn crash(mut broker: receive_at_scale::TrialBroker) -> std::io::Result<()> {
    /// broker.restart().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn restart(&mut self) -> io::Result<()> {
        self.process.kill().await?;
        self.process = spawn(&self.program, self.folder.path(), &self.port.to_string())?;
        in_time(connected(self.port)).await?;
        Ok(())
    }
}

/// Debian puts it where the `PATH` of an ordinary user does not lead.
fn find_program() -> Option<PathBuf> {
    if let Some(program) = env::var_os("NATS_SERVER") {
        return Some(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin".into()])
        .map(|folder: PathBuf| folder.join("nats-server"))
        .find(|program| program.is_file())
}

fn spawn(program: &Path, folder: &Path, port: &str) -> io::Result<Child> {
    Command::new(program)
        .args(["--addr", "127.0.0.1", "--port", port, "--jetstream"])
        .arg("--store_dir")
        .arg(folder)
        .arg("--ports_file_dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

async fn in_time<T>(ready: impl Future<Output = T>) -> io::Result<T> {
    let late = || io::Error::other(format!("nats-server is not ready within {READY_WITHIN:?}"));
    timeout(READY_WITHIN, ready).await.map_err(|_| late())
}

async fn port_told(folder: &Path) -> u16 {
    loop {
        if let Some(port) = read_port(folder) {
            return port;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// The file is called `nats-server_<process>.ports` and holds `{"nats": ["nats://127.0.0.1:40123"]}`.
fn read_port(folder: &Path) -> Option<u16> {
    let mut files = fs::read_dir(folder).ok()?.flatten();
    let file = files.find(|file| file.path().extension().is_some_and(|end| end == "ports"))?;
    let told: Value = serde_json::from_slice(&fs::read(file.path()).ok()?).ok()?;
    let url = told.pointer("/nats/0")?.as_str()?;
    url.rsplit_once(':')?.1.parse().ok()
}

async fn connected(port: u16) {
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        sleep(Duration::from_millis(20)).await;
    }
}
