//! `mock-server run`: runs a command against a new mock.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use clap::Args;
use mock_server::{ProblemKind, Verdicts};
use serde::Serialize;
use tokio::process::{Child, Command};

use crate::exit_code;
use crate::failure::Failure;
use crate::log::Log;
use crate::mock::Mock;
use crate::server_options::ServerOptions;
use crate::setup::worlds;
use crate::signals::{self, Signals};
use crate::summary;

/// Run a command against a new mock and report the rules that it violated
///
/// The command gets PROFILE_BASE_URL, PROFILE_API_KEY (a key with all scopes), MOCK_SERVER_CONTROL
/// (the URL of the control API) and MOCK_SERVER_KEYS (all keys, as JSON) in its environment. The exit
/// code is that of the command; if that is 0, it is 1 if the command violated a rule.
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
    exit_code: u8,
    allowed: &'a [ProblemKind],
    #[serde(flatten)]
    verdicts: &'a Verdicts,
}

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: RunOptions) -> Result<u8, Failure> {
    let RunOptions {
        server,
        allow,
        report,
        command,
    } = options;
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
    // Before the command, which may take long.
    let report = report.map(|path| {
        let action = format!("write the report {}", path.display());
        let file = File::create(path).map_err(Failure::of(&*action))?;
        Ok::<_, Failure>((file, action))
    });
    let report = report.transpose()?;
    let log = server.log.then(Log::start);
    let mock = Mock::start(worlds(&server)?, &server.addr, log.as_ref())?;
    let (program, arguments) = command.split_first().expect("clap requires a command");
    let spawned = Command::new(program)
        .args(arguments)
        .envs(mock.environment())
        .spawn();
    let child = spawned.map_err(|reason| Failure::Command {
        program: program.clone(),
        reason,
    })?;
    let exit_code = wait(child, &mut signals)
        .await
        .map_err(Failure::of("wait for the command"))?;
    if let Some(log) = log {
        log.finish();
    }
    let verdicts = mock.verdicts();
    let violated = summary::print(&verdicts, &allow);
    if let Some((file, action)) = report {
        let content = Content {
            exit_code,
            allowed: &allow,
            verdicts: &verdicts,
        };
        let written = serde_json::to_writer_pretty(file, &content).map_err(io::Error::from);
        written.map_err(Failure::of(action))?;
    }
    Ok(match exit_code {
        0 => u8::from(violated),
        failed => failed,
    })
}

/// Waits for the command and forwards SIGTERM to it. The terminal sends Ctrl-C to both processes; the
/// command decides what to do.
async fn wait(mut child: Child, signals: &mut Signals) -> io::Result<u8> {
    loop {
        tokio::select! {
            status = child.wait() => return status.map(exit_code::of),
            () = signals.terminate() => signals::terminate(&child),
        }
    }
}
