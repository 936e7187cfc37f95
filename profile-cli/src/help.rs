//! The help on a command: its own options, and a line that says where those of all commands are.

use std::ffi::OsString;

use clap::Command;
use clap::error::ErrorKind;

/// What the parser puts together for a command, with what stands after the options.
const TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}

{all-args}{after-help}";

/// What stands below the options of every command.
const GLOBAL_OPTIONS: &str = "\
Every command takes the global options too, --json and --account among them: see `profile --help`.";

/// The same answer of the parser, where it is help with no global options in that on a command.
pub(crate) fn shortened(
    error: clap::Error,
    program: fn() -> Command,
    arguments: impl IntoIterator<Item = OsString>,
) -> clap::Error {
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if !is_help {
        return error;
    }
    // Only the parser knows which command the help is for.
    let parsed = without_global_options(program).try_get_matches_from(arguments);
    parsed.err().unwrap_or(error)
}

/// The program with the global options in its own help alone.
fn without_global_options(program: fn() -> Command) -> Command {
    let whole = program().render_help();
    hidden_globals(program())
        .mut_subcommands(with_template)
        .override_help(whole)
}

fn with_template(command: Command) -> Command {
    let notes = command.get_after_help().map(ToString::to_string);
    let notes = notes.map(|notes| format!("{GLOBAL_OPTIONS}\n\n{}", unbroken(&notes)));
    command
        .help_template(TEMPLATE)
        .after_help(notes.unwrap_or_else(|| GLOBAL_OPTIONS.to_owned()))
        .mut_subcommands(with_template)
}

/// The command without those of its options in help and pages that every command takes.
pub(crate) fn hidden_globals(command: Command) -> Command {
    command.mut_args(|argument| match argument.is_global_set() {
        true => argument.hide(true),
        false => argument,
    })
}

/// The text with each paragraph on one line, to be broken where the reader's lines end. What is
/// indented is a table or an example, and stays as it is.
pub(crate) fn unbroken(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        if !joined.is_empty() {
            let goes_on = is_prose(before) && is_prose(line);
            joined.push(if goes_on { ' ' } else { '\n' });
        }
        joined.push_str(line);
        before = line;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::unbroken;

    #[test]
    fn paragraphs_are_joined_and_tables_stay() {
        assert_eq!(
            unbroken("one\ntwo\n\nExamples:\n  a\n  b\n\nthree\nfour"),
            "one two\n\nExamples:\n  a\n  b\n\nthree four"
        );
    }
}
