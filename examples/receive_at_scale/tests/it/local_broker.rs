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

use crate::{client, command};

/// Maximum time for the broker to start.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Routes on which nothing listens.
const UNUSED_ROUTES: [&str; 3] = [
    "nats://127.0.0.1:1",
    "nats://127.0.0.1:2",
    "nats://127.0.0.1:3",
];

/// The position of the URL of the cluster in the arguments.
const CLUSTER_URL: usize = 1;

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
        match programs().next() {
            Some(program) => Self::start_program(program, arguments).await.map(Some),
            None => Ok(None),
        }
    }

    async fn start_program(program: PathBuf, arguments: &[&str]) -> io::Result<Self> {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        let folder = TempDir::new()?;
        // With port -1, nats-server chooses a free port and writes it to a file.
        let process = spawn(&program, folder.path(), "-1", &arguments)?;
        let port = with_timeout(wait_for_port(folder.path(), "nats")).await?;
        Ok(Self {
            process,
            program,
            arguments,
            port,
            folder,
        })
    }

    /// Starts three brokers that form a cluster. Its leader is elected within a few seconds. Returns `None` if
    /// all that are installed [lose events of clusters](loses_events).
    pub(crate) async fn start_cluster() -> io::Result<Option<[Self; 3]>> {
        let Some(program) = programs().find(|program| !loses_events(program)) else {
            return Ok(None);
        };
        // A server with JetStream needs routes, and waits for as many peers. Nothing listens on
        // these ports. Each server connects to all before it, so that any two remain connected.
        let mut routes = UNUSED_ROUTES.map(str::to_owned);
        let first = Self::start_in_cluster(&program, "0", &routes).await?;
        routes[0].clone_from(&first.arguments[CLUSTER_URL]);
        let second = Self::start_in_cluster(&program, "1", &routes).await?;
        routes[1].clone_from(&second.arguments[CLUSTER_URL]);
        let third = Self::start_in_cluster(&program, "2", &routes).await?;
        Ok(Some([first, second, third]))
    }

    async fn start_in_cluster(program: &Path, name: &str, routes: &[String]) -> io::Result<Self> {
        let routes = routes.join(",");
        let cluster = [
            "--cluster",
            "nats://127.0.0.1:-1",
            "--cluster_name",
            "local",
        ];
        let server = [
            "--server_name",
            name,
            "--routes",
            &routes,
            "--http_port",
            "-1",
        ];
        let arguments = [&cluster[..], &server].concat();
        let mut broker = Self::start_program(program.to_owned(), &arguments).await?;
        // The others find it again after a restart.
        let port = broker.port_of("cluster").await?;
        broker.arguments[CLUSTER_URL] = format!("nats://127.0.0.1:{port}");
        Ok(broker)
    }

    async fn port_of(&self, listener: &str) -> io::Result<u16> {
        with_timeout(wait_for_port(self.folder.path(), listener)).await
    }

    /// Returns the number of messages that this broker of a cluster stores in a stream.
    pub(crate) async fn messages(&self, stream: &str) -> Option<u64> {
        let port = self.port_of("monitoring").await.ok()?;
        let url = format!("http://127.0.0.1:{port}/jsz?accounts=true&streams=true");
        let body = client().get(url).send().await.ok()?.bytes().await.ok()?;
        let state: Value = serde_json::from_slice(&body).ok()?;
        let mut streams = state["account_details"][0]["stream_detail"]
            .as_array()?
            .iter();
        streams.find(|found| found["name"] == stream)?["state"]["messages"].as_u64()
    }

    /// Returns the URL of the broker, such as `nats://127.0.0.1:40123`.
    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Returns `true` if clusters of this version lose events.
    pub(crate) fn loses_events(&self) -> bool {
        loses_events(&self.program)
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
        for file in ports_files(self.folder.path()) {
            fs::remove_file(file)?;
        }
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

/// Returns the program in `NATS_SERVER`, or the installed ones. Debian installs it in `/usr/sbin`, which is often not
/// in `PATH`.
fn programs() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    let programs: Vec<_> = match env::var_os("NATS_SERVER") {
        Some(program) => vec![program.into()],
        None => folders.map(|folder| folder.join("nats-server")).collect(),
    };
    programs.into_iter().filter(|program| program.is_file())
}

/// Returns `true` for version 2.9, whose clusters lose events.
fn loses_events(program: &Path) -> bool {
    let version = crate::child::command(program).arg("--version").output();
    version.is_ok_and(|version| version.stdout.starts_with(b"nats-server: v2.9."))
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
    let file = ports_files(folder).next()?;
    let ports: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let url = ports.get(listener)?.get(0)?.as_str()?;
    url.rsplit_once(':')?.1.parse().ok()
}

fn ports_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "ports"))
}

async fn wait_for_connection(port: u16) {
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        sleep(Duration::from_millis(20)).await;
    }
}
