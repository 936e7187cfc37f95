//! Transcripts: commands with their output, in one file for each subject.
//!
//! A line that starts with `## ` begins a section with a service and a home directory of its own. Below it,
//! `fault` and JSON add a fault, and `dialect` and JSON set the dialect. Lines of stderr begin with `2> `,
//! and an exit code is shown if it is not 0. `UPDATE_EXPECT=1` writes the output below the commands.

use std::fs;

use expect_test::expect_file;
use mock_server::Dialect;

use crate::program::{Fixture, Run};

#[tokio::test]
async fn transcripts_show_the_real_output() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/transcripts");
    for file in fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        let mut fixture = Fixture::new().await;
        let mut transcript = String::new();
        for line in fs::read_to_string(&path).unwrap().lines() {
            if line.starts_with("## ") {
                fixture = Fixture::new().await;
                transcript += &format!("\n{line}\n");
            } else if let Some(fault) = line.strip_prefix("fault ") {
                fixture.add_faults(&format!(r#"{{"fault": {fault}}}"#));
                transcript += &format!("{line}\n");
            } else if let Some(dialect) = line.strip_prefix("dialect ") {
                let dialect = Dialect::from_json(dialect).unwrap();
                fixture.service.set_dialect(dialect).unwrap();
                transcript += &format!("{line}\n");
            } else if let Some(command) = line.strip_prefix("$ ") {
                let shown = shown(&run(command, &fixture));
                let shown = shown.replace(fixture.service.uri(), "http://SERVICE");
                transcript += &format!("{line}\n{shown}");
            }
        }
        expect_file![path].assert_eq(transcript.trim_start());
    }
}

/// Runs `profile` with arguments, which may follow environment variables.
fn run(command: &str, fixture: &Fixture) -> Run {
    let words = shlex::split(command).unwrap();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut parts = words.splitn(2, |word| *word == "profile");
    let variables = parts.next().unwrap().iter();
    let variables: Vec<_> = variables
        .map(|word| word.split_once('=').unwrap())
        .collect();
    let program = fixture.program(parts.next().unwrap());
    program.envs(&variables).run()
}

fn shown(run: &Run) -> String {
    let mut shown = String::from_utf8_lossy(run.stdout_bytes()).into_owned();
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown += "[no line break]\n";
    }
    for line in run.stderr().lines() {
        shown += format!("2> {line}").trim_end();
        shown.push('\n');
    }
    if run.code() != 0 {
        shown += &format!("exit code {}\n", run.code());
    }
    shown
}
