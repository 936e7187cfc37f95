//! A local broker.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::Child;
use tokio::time::{sleep, timeout};

use crate::command;

/// Maximum time for the broker to start.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Routes on which nothing listens.
const UNUSED_ROUTES: [&str; 3] = [
    "nats://127.0.0.1:1",
    "nats://127.0.0.1:2",
    "nats://127.0.0.1:3",
];

/// A `nats-server` on a free port, with its data in a temporary folder. Dropping it stops the
/// process.
#[derive(Debug)]
pub(crate) struct LocalBroker {
    process: Child,
    program: PathBuf,
    arguments: Vec<String>,
    port: u16,
    folder: TempDir,
}

impl LocalBroker {
    /// Starts the program in `NATS_SERVER`, or the installed `nats-server`, with further arguments.
    /// Returns `None` if it is not installed.
    pub(crate) async fn start_with(arguments: &[&str]) -> io::Result<Option<Self>> {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        let Some(program) = find_program() else {
            return Ok(None);
        };
        let folder = TempDir::new()?;
        // With port -1, nats-server chooses a free port and writes it to a file.
        let process = spawn(&program, folder.path(), "-1", &arguments)?;
        let port = with_timeout(wait_for_port(folder.path(), "nats")).await?;
        Ok(Some(Self {
            process,
            program,
            arguments,
            port,
            folder,
        }))
    }

    /// Starts three brokers that form a cluster. Its leader is elected within a few seconds.
    pub(crate) async fn start_cluster() -> io::Result<Option<[Self; 3]>> {
        // A server with JetStream needs routes, and waits for as many peers. Nothing listens on
        // these ports. Each server connects to all before it, so that any two remain connected.
        let mut routes = UNUSED_ROUTES.map(str::to_owned);
        let Some(first) = Self::start_in_cluster("0", &routes).await? else {
            return Ok(None);
        };
        routes[0] = first.cluster_url().await?;
        let Some(second) = Self::start_in_cluster("1", &routes).await? else {
            return Ok(None);
        };
        routes[1] = second.cluster_url().await?;
        let third = Self::start_in_cluster("2", &routes).await?;
        Ok(third.map(|third| [first, second, third]))
    }

    async fn cluster_url(&self) -> io::Result<String> {
        let port = with_timeout(wait_for_port(self.folder.path(), "cluster")).await?;
        Ok(format!("nats://127.0.0.1:{port}"))
    }

    async fn start_in_cluster(name: &str, routes: &[String]) -> io::Result<Option<Self>> {
        let cluster = [
            "--cluster_name",
            "local",
            "--cluster",
            "nats://127.0.0.1:-1",
        ];
        let routes = routes.join(",");
        let server = ["--server_name", name, "--routes", &routes];
        Self::start_with(&[&cluster[..], &server].concat()).await
    }

    /// Returns the URL of the broker, such as `nats://127.0.0.1:40123`.
    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the process.
    pub(crate) async fn kill(&mut self) -> io::Result<()> {
        self.process.kill().await
    }

    /// Kills the process, and starts it again with the same port and data.
    pub(crate) async fn restart(&mut self) -> io::Result<()> {
        self.kill().await?;
        self.start().await
    }

    /// Kills the process, deletes the data, and starts it again with other arguments.
    pub(crate) async fn restart_without_data(&mut self, arguments: &[&str]) -> io::Result<()> {
        self.kill().await?;
        fs::remove_dir_all(self.folder.path().join("jetstream"))?;
        self.arguments = arguments.iter().map(ToString::to_string).collect();
        self.start().await
    }

    /// Sends a signal such as `STOP` to the process.
    pub(crate) async fn signal(&self, name: &str) {
        signal(&self.process, name).await;
    }

    async fn start(&mut self) -> io::Result<()> {
        let port = self.port.to_string();
        self.process = spawn(&self.program, self.folder.path(), &port, &self.arguments)?;
        with_timeout(wait_for_connection(self.port)).await?;
        Ok(())
    }
}

/// Sends a signal to a process.
pub(crate) async fn signal(process: &Child, name: &str) {
    let mut kill = command("kill");
    kill.args(["-s", name, &process.id().unwrap().to_string()]);
    assert!(kill.status().await.unwrap().success());
}

/// Finds the program. Debian installs it in `/usr/sbin`, which is often not in `PATH`.
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

fn spawn(program: &Path, folder: &Path, port: &str, arguments: &[String]) -> io::Result<Child> {
    command(program)
        .args(["--addr", "127.0.0.1", "--port", port, "--jetstream"])
        .arg("--store_dir")
        .arg(folder)
        .arg("--ports_file_dir")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

async fn with_timeout<T>(ready: impl Future<Output = T>) -> io::Result<T> {
    let timed_out = || {
        io::Error::other(format!(
            "nats-server was not ready within {START_TIMEOUT:?}"
        ))
    };
    timeout(START_TIMEOUT, ready).await.map_err(|_| timed_out())
}

async fn wait_for_port(folder: &Path, listener: &str) -> u16 {
    loop {
        if let Some(port) = read_port(folder, listener) {
            return port;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

/// Reads the port of a listener from the file `nats-server_<process>.ports`, which contains
/// `{"nats": ["nats://127.0.0.1:40123"], "cluster": ["nats://127.0.0.1:40124"]}`.
fn read_port(folder: &Path, listener: &str) -> Option<u16> {
    let mut files = fs::read_dir(folder).ok()?.flatten();
    let file = files.find(|file| file.path().extension().is_some_and(|end| end == "ports"))?;
    let ports: Value = serde_json::from_slice(&fs::read(file.path()).ok()?).ok()?;
    let url = ports.get(listener)?.get(0)?.as_str()?;
    url.rsplit_once(':')?.1.parse().ok()
}

async fn wait_for_connection(port: u16) {
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        sleep(Duration::from_millis(20)).await;
    }
}
