//! `mock-server run`: runs a command against a new mock, and prints the violations.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mock_server::{
    Endpoint, ProblemKind, Report, RuleViolations, Signals, Worlds, WorldsServer, files, printable,
};
use serde::Serialize;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::failure::{Failure, warn};
use crate::processes;
use crate::server::{Log, ServerOptions, listen, serve, worlds};

/// Run a command against a new mock, and report the rules of the specification that it violated
///
/// The command gets PROFILE_BASE_URL, PROFILE_API_KEY (a key with all scopes), MOCK_SERVER_CONTROL
/// (the URL of the control API) and MOCK_SERVER_KEYS (all keys, as JSON) in its environment. The exit
/// code is that of the command, or 1 if the command succeeded but violated a rule.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mock-server run -- pytest\n  mock-server run --allow too_many_lines --report report.json -- npm test"
)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    server: ServerOptions,
    /// Rule that the command may violate, such as unknown_field; repeatable
    #[arg(long, value_name = "RULE", value_parser = rule, value_delimiter = ',')]
    allow: Vec<ProblemKind>,
    /// Write the violations, the advice and the coverage to this file, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the requests to this file, as an HTTP Archive (HAR 1.2)
    #[arg(long, value_name = "FILE")]
    har: Option<PathBuf>,
    /// Command to run, with its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn rule(text: &str) -> Result<ProblemKind, String> {
    let kinds = ProblemKind::ALL.iter().copied();
    let rules = kinds.filter(|kind| kind.section().is_some());
    let rule = rules.clone().find(|rule| rule.as_str() == text);
    rule.ok_or_else(|| {
        let names: Vec<_> = rules.map(ProblemKind::as_str).collect();
        let names = names.join(", ");
        format!("expected one of {names}")
    })
}

/// The content of the file of `--report`.
#[derive(Serialize)]
struct Content<'a> {
    /// The exit code of the command.
    exit_code: i32,
    allowed: &'a [ProblemKind],
    #[serde(flatten)]
    findings: &'a Report,
}

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: RunOptions) -> Result<i32, Failure> {
    let open = |name, path: Option<_>| path.map(|path| OutputFile::open(name, path)).transpose();
    let report = open("report", options.report)?;
    let har = open("HTTP Archive", options.har)?;
    let log = options.server.log.then(Log::start);
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
    let (server, command) = (Arc::new(options.server), &options.command);
    let worlds = processes::start(&mut signals, worlds(server.clone())).await?;
    if har.is_some() {
        worlds.keep_requests();
    }
    let mock = Mock::start(worlds, &server.addr, log.as_ref())?;
    let child = mock.command(command)?.spawn();
    let child = child.map_err(Failure::of_command(&command[0]))?;
    let exit_code = wait(child, &mut signals).await;
    let exit_code = exit_code.map_err(Failure::of("wait for the command"))?;
    let url = mock.url.clone();
    let worlds = mock.finish().await;
    if let Some(log) = log {
        log.finish();
    }
    let findings = worlds.report();
    let violated = findings.rules();
    let violated = violated.filter(|one| !options.allow.contains(&one.rule));
    let violated: Vec<_> = violated.collect();
    // Ignore a closed stderr; the exit code still reports the violations.
    let _ = write_summary(&mut io::stderr(), &findings, &violated);
    if let Some(file) = report {
        let content = Content {
            exit_code,
            allowed: &options.allow,
            findings: &findings,
        };
        let text = serde_json::to_string_pretty(&content);
        file.write(&text.expect("a report contains only JSON values"))?;
    }
    if let Some(file) = har {
        let archive = worlds.har(&url);
        file.write(&format!("{archive:#}"))?;
        if let Some(comment) = archive["log"]["comment"].as_str() {
            warn(&format!("the HTTP Archive is {comment}"));
        }
    }
    Ok(match exit_code {
        0 => i32::from(!violated.is_empty()),
        failed => failed,
    })
}

/// A file to write after the run. It is opened first, so that an invalid path fails before a long run.
struct OutputFile {
    path: PathBuf,
    action: String,
    _opened: Option<File>,
}

impl OutputFile {
    fn open(name: &str, path: PathBuf) -> Result<Self, Failure> {
        let action = format!("write the {name} {}", path.display());
        Ok(Self {
            _opened: files::open_for_writing(&path).map_err(Failure::of(&*action))?,
            path,
            action,
        })
    }

    fn write(self, text: &str) -> Result<(), Failure> {
        let written = files::write(&self.path, printable(text).as_bytes());
        written.map_err(Failure::of(self.action))
    }
}

/// Waits for the command and forwards SIGTERM and SIGHUP to it. The terminal sends Ctrl-C and Ctrl-\ to both
/// processes; the command decides what to do.
async fn wait(mut child: Child, signals: &mut Signals) -> io::Result<i32> {
    loop {
        tokio::select! {
            status = child.wait() => return status.map(processes::exit_code),
            signal = signals.next() => processes::forward(signal, &child),
        }
    }
}

/// Maximum number of different violations to print per rule.
const MAX_PER_RULE: usize = 5;

/// Prints a hint and returns `true` if the command called no endpoint.
pub(crate) fn warn_unless_called(findings: &Report) -> bool {
    let is_idle = is_idle(findings);
    // Requests to a world that does not exist are advice.
    if is_idle && findings.advice.is_empty() {
        warn("no request reached an endpoint; the URL is in PROFILE_BASE_URL");
    }
    is_idle
}

/// Returns `true` if no request reached an endpoint.
pub(crate) fn is_idle(findings: &Report) -> bool {
    let is_uncalled = |endpoint: &Endpoint| findings.coverage.endpoint(*endpoint).calls == 0;
    Endpoint::ALL.iter().all(is_uncalled)
}

/// Writes the violations that are not allowed, and the coverage.
fn write_summary(
    to: &mut impl Write,
    findings: &Report,
    violated: &[&RuleViolations],
) -> io::Result<()> {
    if !violated.is_empty() {
        writeln!(to, "mock-server: the command violated the specification:")?;
        for broken in violated {
            write_rule(to, broken)?;
        }
        let rules: Vec<_> = violated.iter().map(|one| one.rule.as_str()).collect();
        let rules = rules.join(",");
        writeln!(to, "mock-server: if this is intended, add --allow {rules}")?;
    }
    for advice in &findings.advice {
        let (kind, times) = (advice.kind, times(advice.count));
        let recommendation = advice.recommendation;
        writeln!(
            to,
            "mock-server: advice: {kind} ({times}): {recommendation}"
        )?;
        writeln!(to, "  {}", printable(&advice.first))?;
    }
    if findings.other_origins > 0 {
        let count = findings.other_origins;
        let plural = if count == 1 { "" } else { "s" };
        writeln!(
            to,
            "mock-server: {count} violation{plural} of pages of other origins; add --cors ORIGIN to count them"
        )?;
    }
    let coverage = &findings.coverage;
    let uncovered = coverage.uncovered().endpoints;
    let (all, covered) = (Endpoint::ALL.len(), Endpoint::ALL.len() - uncovered.len());
    writeln!(to, "mock-server: {covered} of {all} endpoints covered")?;
    if warn_unless_called(findings) {
        return Ok(());
    }
    for endpoint in uncovered {
        writeln!(to, "  not covered: {endpoint}")?;
    }
    Ok(())
}

fn times(count: u64) -> String {
    match count {
        1 => "1 time".to_owned(),
        _ => format!("{count} times"),
    }
}

fn write_rule(to: &mut impl Write, broken: &RuleViolations) -> io::Result<()> {
    let (rule, times) = (broken.rule, times(broken.count));
    let section = rule.section().unwrap_or_default();
    let requirement = rule.requirement().unwrap_or_default();
    writeln!(
        to,
        "  {rule} ({times}, section {section}): \"{requirement}\""
    )?;
    let mut printed = Vec::new();
    for violation in &broken.violations {
        let (method, path) = (&violation.method, &violation.path);
        let line = format!("{method} {path}: {}", violation.found);
        if printed.len() < MAX_PER_RULE && !printed.contains(&line) {
            writeln!(to, "    {}", printable(&line))?;
            printed.push(line);
        }
    }
    Ok(())
}

/// A running server, which ends when this is dropped.
pub(crate) struct Mock {
    worlds: Arc<Worlds>,
    url: String,
    environment: Vec<(&'static str, OsString)>,
    stop: watch::Sender<()>,
    serving: JoinSet<io::Result<()>>,
}

/// Maximum time to handle the requests of a command that has ended.
const GRACE: Duration = Duration::from_secs(1);

impl Mock {
    pub(crate) fn start(worlds: Worlds, addr: &str, log: Option<&Log>) -> Result<Self, Failure> {
        let worlds = Arc::new(worlds);
        let servers = listen(&worlds, addr, log)?;
        let (stop, stopped) = watch::channel(());
        Ok(Self {
            url: servers[0].url().to_owned(),
            environment: environment(&servers[0], &worlds),
            stop,
            serving: serve(servers, &stopped),
            worlds,
        })
    }

    /// Returns a command with the environment for this mock.
    pub(crate) fn command(&self, command: &[OsString]) -> Result<Command, Failure> {
        let (program, arguments) = command.split_first().expect("clap requires a command");
        let found = processes::find(program).map_err(Failure::of_command(program))?;
        let mut command = Command::new(found);
        command
            .args(arguments)
            .envs(self.environment.iter().cloned());
        // The secrets of the user's own webhooks are not for tests.
        for (name, _) in env::vars_os() {
            let bytes = name.as_encoded_bytes();
            if bytes.starts_with(b"PROFILE_WEBHOOK_SECRET") {
                command.env_remove(name);
            }
        }
        Ok(command)
    }

    /// Stops the server and returns its worlds, after the requests of connections that the command made.
    pub(crate) async fn finish(self) -> Arc<Worlds> {
        // The driver reports waiting connections.
        tokio::task::yield_now().await;
        drop(self.stop);
        // An error means that the time is over.
        let _ = timeout(GRACE, self.serving.join_all()).await;
        self.worlds
    }
}

fn environment(server: &WorldsServer, worlds: &Worlds) -> Vec<(&'static str, OsString)> {
    let (url, keys) = (server.url(), worlds.keys());
    let control = server.control_url().unwrap_or_default();
    let all = serde_json::to_string(&keys).expect("keys contain only strings");
    let no_proxy = |name, other| {
        let inherited = env::var_os(name).or_else(|| env::var_os(other));
        (name, without_proxy(inherited.unwrap_or_default(), url))
    };
    vec![
        ("PROFILE_BASE_URL", url.into()),
        ("PROFILE_API_KEY", keys.all.clone().into()),
        ("MOCK_SERVER_CONTROL", control.into()),
        ("MOCK_SERVER_KEYS", all.into()),
        no_proxy("NO_PROXY", "no_proxy"),
        no_proxy("no_proxy", "NO_PROXY"),
    ]
}

/// Adds the host of a URL to the hosts that clients reach without a proxy.
fn without_proxy(mut hosts: OsString, url: &str) -> OsString {
    if hosts == "*" {
        return hosts;
    }
    let host = url.trim_start_matches("http://").rsplit_once(':');
    let host = host.expect("the URL has a port").0;
    // Some clients compare an IPv6 address with its brackets, and others without.
    let bare = host.trim_matches(['[', ']']);
    for host in BTreeSet::from([bare, host]) {
        if !hosts.is_empty() {
            hosts.push(",");
        }
        hosts.push(host);
    }
    hosts
}
