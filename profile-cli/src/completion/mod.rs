//! Completes a command line: a script in the shell runs the program, which prints the candidates.

mod bash;
mod item_ids;
mod shell;
mod typed_words;
mod values;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::sync::Arc;

use clap::Command;

use typed_words::TypedWords;

pub(crate) use shell::Shell;

/// The program, which the scripts run by its name.
const PROGRAM: &str = "profile";

/// Variable that a script sets to the name of its shell.
const VARIABLE: &str = "PROFILE_COMPLETE";

/// Prints the candidates if a completion script asks for them, otherwise returns `false`. Prints no
/// errors, which would appear in the middle of the command line.
pub(crate) fn complete(program: fn() -> Command) -> bool {
    let Some(name) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
        return false;
    };
    if let Some(text) = Shell::of_name(&name).and_then(|shell| candidates(shell, program)) {
        // The shell may have stopped reading.
        let _ = io::stdout().write_all(&text);
    }
    true
}

fn candidates(shell: Shell, program: fn() -> Command) -> Option<Vec<u8>> {
    let arguments = env::args_os().skip_while(|argument| argument != "--");
    let mut words: Vec<_> = arguments.skip(1).collect();
    match shell {
        Shell::Bash => words = bash::words(&env::var("COMP_LINE").ok()?)?,
        // Only zsh passes words after the cursor, and omits an empty word before it.
        Shell::Zsh => {
            let index = env::var("_CLAP_COMPLETE_INDEX").ok()?.parse().ok()?;
            words.resize(usize::checked_add(index, 1)?, OsString::new());
        }
        Shell::Fish | Shell::Powershell => {}
    }
    let typed = Arc::new(TypedWords::new(program, words.clone()));
    let mut command = values::add_to(program(), &typed);
    let directory = env::current_dir().ok();
    let mut text = Vec::new();
    let written = match shell.adapter() {
        Some(adapter) => {
            adapter.write_complete(&mut command, words, directory.as_deref(), &mut text)
        }
        None => bash::write_candidates(&mut command, words, directory.as_deref(), &mut text),
    };
    written.is_ok().then_some(text)
}
