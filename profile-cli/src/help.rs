//! Help texts: that of the program, and topics such as `profile help exit-codes`. Clap has those of commands.

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};

use crate::drawing::text::{max_width, wrap};
use crate::settings::SettingName;
use crate::system::environment::{CONFIG_DEFAULT, STATE};

const START: &str = "\
profile edits your profile, links and posts, and shows your statistics.

  profile auth login           store your API key
  profile show                 show your profile
  profile set --bio Hello      change it
  profile edit                 change it in your editor
  profile stats                show its views
";

const START_WITHOUT_ACCOUNT: &str = "
Without an account:
  profile --sandbox show       try it on a sample profile
";

/// Maximum width of help texts.
pub(crate) const MAX_WIDTH: usize = 100;

/// The groups of the commands in the help of the program, each with its first command.
const GROUPS: &[(&str, &str)] = &[
    ("Profile", "show"),
    ("Links and posts", "link"),
    ("Statistics", "stats"),
    ("Account and settings", "auth"),
    ("Webhooks", "webhook"),
    ("Other commands", "api"),
];

/// The global options that the help of the program names.
const MOST_USED: &[&str] = &["json", "jq", "account", "yes", "sandbox"];

const OPTIONS_TOPIC: &str = "options";

/// The name, the title and the text of a topic, which is a help text that does not belong to a command.
type Topic = (&'static str, &'static str, fn() -> String);

/// The topics, except that of the options.
pub(crate) const TOPICS: &[Topic] = &[
    ("environment", "Environment variables", environment),
    ("exit-codes", "Exit codes", || EXIT_CODES.to_owned()),
    ("files", "Files, and how to uninstall the program", files),
    ("formatting", "Output formats", || FORMATTING.to_owned()),
];

const PRECEDENCE: &str = "\
Options override variables. Those named PROFILE_… override config.toml, which overrides the others; an \
empty variable counts as unset. `profile config list` shows each setting with its source.";

/// Environment variables that are not settings. Two spaces separate the names from the description.
fn variables() -> String {
    let [state, state_default] = STATE;
    format!(
        "\
PROFILE_API_KEY  API key; it is not accepted as an argument
PROFILE_API_KEY_FILE  Path of a file, or of a pipe, that contains the API key
PROFILE_WEBHOOK_SECRET  Webhook secret; it is not accepted as an argument
PROFILE_WEBHOOK_SECRET_FILE  Path of a file that contains the webhook secret; a byte order mark and one line break at \
    its end are removed
PROFILE_LOG  Log level on stderr: off, error, warn, info (-v), debug (-vv) or trace (-vvv)
PROFILE_CONFIG_DIR  Directory of config.toml and stored keys; otherwise {CONFIG_DEFAULT}
{state}  Parent directory of the sandbox and of texts that were not sent; otherwise {state_default}
HTTPS_PROXY, ALL_PROXY  Proxy for https://, unless `proxy` is set in config.toml; never for \
    http://, nor for webhook receivers on this machine
NO_PROXY  Hosts to reach without these proxies
NO_COLOR, CLICOLOR_FORCE  Disable or force colors with --color auto
TERM  `dumb` disables colors with --color auto
COLUMNS  Width of the output instead of that of the terminal
COLORTERM  `truecolor` allows 24-bit colors
SSL_CERT_FILE, SSL_CERT_DIR  Certificates to trust instead of those of the system, on Linux: a file that is not \
    empty, and directories"
    )
}

/// Width of the table of variables.
const WIDTH: usize = 80;

/// Describes all environment variables, in a table.
fn environment() -> String {
    let settings =
        SettingName::all().filter_map(|setting| Some((setting.variable()?, setting.help())));
    let variables = variables();
    let others = variables.lines().filter_map(|it| it.split_once("  "));
    let others = others.map(|(name, help)| (name, help.to_owned()));
    let (keys, others): (Vec<_>, Vec<_>) = others.partition(|(name, _)| name.contains("API_KEY"));
    let rows: Vec<_> = keys.into_iter().chain(settings).chain(others).collect();
    let names = max_width(rows.iter().map(|(name, _)| *name));
    let indent = format!("\n{:1$}", "", names + 4);
    let row = |(name, help): (&str, String)| {
        let lines = wrap(&help, WIDTH - names - 4);
        format!("\n  {name:names$}  {}", lines.join(&indent))
    };
    let rows: String = rows.into_iter().map(row).collect();
    format!("{PRECEDENCE}\n{rows}")
}

const EXIT_CODES: &str = "\
With --json, the field exit_code of an error contains the code.

  0    success
  1    any other error, including errors of the service
  2    invalid arguments or values; nothing was written
  3    not found
  4    API key missing or invalid
  5    the service does not permit this, for example because the key lacks
       the scope
  6    the service rejected the content
  7    rate limited
  8    network or TLS error, timeout, or a page in place of the response to a
       write
  9    `profile diff --exit-code`: the profile differs from the file
  10   the webhook signature does not match
  130  interrupted with Ctrl-C: 130 in a shell and on Windows; a program
       that starts this one sees the signal SIGINT, often as -2
  143  ended by SIGTERM
  129  ended by SIGHUP

After 1 and 3 to 8, and after a signal, a change may have been made; the message says so.

Such a page is HTML, as from the login of a network. `edit` and `apply` then read the profile, and exit with 1 \
unless it shows the change. `api` prints the page with a warning, and exits with 8 only with --json or --jq.

On Linux, signals that were ignored when the program started, as with nohup, stay ignored.";

const FOLDERS: [&str; 2] = match cfg!(windows) {
    true => [
        r"%APPDATA%\profile       settings and keys: PROFILE_CONFIG_DIR",
        r"%LOCALAPPDATA%\profile  the sandbox, and texts that were not sent",
    ],
    false => [
        "~/.config/profile       settings and keys: PROFILE_CONFIG_DIR, XDG_CONFIG_HOME",
        "~/.local/state/profile  the sandbox, and texts that were not sent: XDG_STATE_HOME",
    ],
};

fn files() -> String {
    let [config, state] = FOLDERS;
    format!(
        "\
Folders of the program, and the variables that move them:

  {config}
  {state}

To uninstall the program, run `profile auth logout` for each account, which deletes its key, and delete both \
folders, the completion scripts, the manual pages `profile*.1`, and the program itself: `cargo uninstall \
profile-cli`. `profile help completion` and `profile help man` name the usual folders."
    )
}

const FORMATTING: &str = "\
--output FORMAT selects a format, --json is short for --output json, and --jq EXPR filters the JSON \
and prints strings without quotes.

  table  cards, tables and bars; the default on a terminal
  tsv    tab-separated values without a header; the default in a pipe
  json   one JSON document: `data` as the service sent it; indented and
         colored on a terminal
  csv    comma-separated values with a header; spreadsheets may take values
         that begin with =, +, - or @ for formulas

`--jq '.[]'` prints each item of a list on its own line.

In tsv, a list has one line per item; any other result has one line per field. Tabs, line breaks and \
backslashes in values are escaped as \\t, \\n, \\r and \\\\.

Control characters and invisible ones are escaped in json, and removed in the other formats. In a pipe, \
csv and tsv keep them, and json keeps invisible ones.

For a screen reader, `--output tsv --color never` prints plain lines, without bars, colors or progress; \
`profile config set output tsv` and `profile config set color never` keep that.

Results are written to stdout, errors to stderr. With --json or --jq, or if a setting selects JSON, an \
error is one object on the last line of stderr, with the fields code, message, hint, status, exit_code \
and retryable. If a command that changes something on the service fails, `outcome` is \"not_done\" if the change was not \
made, \"unknown\" if it may have been made, and \"done\" if only its result could not be printed. Of several \
changes, the error is about one that failed; the result on stdout shows the others. `missing_scope` is the scope \
that the key lacks, if the service says so.";

/// Returns the text for `profile` without a command.
pub(crate) fn start() -> String {
    let sandbox = match cfg!(feature = "sandbox") {
        true => START_WITHOUT_ACCOUNT,
        false => "",
    };
    format!("{START}{sandbox}\n`profile --help` lists all commands.")
}

/// Hides a global option in the helps of all commands.
pub(crate) fn hidden(argument: Arg) -> Arg {
    argument.hide(true)
}

/// Returns the option `--help` of all commands.
pub(crate) fn flag() -> Arg {
    let flag = Arg::new("help").short('h').long("help");
    let flag = flag.help("Print help; global options: `profile help options`");
    let flag = flag.help_heading(None::<&str>);
    flag.action(ArgAction::Help).global(true)
}

/// Returns the help of the program or of a topic, if the arguments ask for it. The program overrides its help by an
/// empty one, and a topic is not a command.
pub(crate) fn own(
    error: &clap::Error,
    program: fn() -> Command,
    words: &[String],
) -> Option<String> {
    match (error.kind(), words) {
        (ErrorKind::DisplayHelp, _) if error.to_string().trim().is_empty() => {
            Some(of_program(&program()))
        }
        (ErrorKind::InvalidSubcommand, [_, help, name]) if help == "help" => {
            let topic = match TOPICS.iter().find(|(topic, ..)| topic == name) {
                Some((name, title, text)) => Command::new(*name)
                    .about(*title)
                    .after_help(text())
                    .help_template("{about}{after-help}"),
                None if name == OPTIONS_TOPIC => options_topic(&program()),
                None => return None,
            };
            let mut topic = topic.disable_help_flag(true).max_term_width(MAX_WIDTH);
            Some(topic.render_help().to_string())
        }
        _ => None,
    }
}

/// Returns the help of the program: the commands in groups, and the most used options.
fn of_program(program: &Command) -> String {
    let about = program.get_about().map(ToString::to_string);
    let mut text = about.unwrap_or_default();
    text += "\n\nUsage: profile [OPTIONS] [COMMAND]\n";
    for command in program.get_subcommands().filter(|one| !one.is_hide_set()) {
        let name = command.get_name();
        if let Some((heading, _)) = GROUPS.iter().find(|(_, first)| *first == name) {
            text += &format!("\n{heading}:\n");
        }
        text += &row(name, command.get_about());
    }
    text += "\nOptions:\n";
    for argument in program.get_arguments() {
        if MOST_USED.contains(&argument.get_id().as_str()) {
            let name = format!("--{}", argument.get_id());
            text += &row(&name, argument.get_help());
        }
    }
    text += "\nMore: profile help COMMAND";
    for name in [OPTIONS_TOPIC]
        .iter()
        .chain(TOPICS.iter().map(|(name, ..)| name))
    {
        text += &format!(", {name}");
    }
    text + "\n"
}

/// Returns a line with a name and the start of its description.
fn row(name: &str, about: Option<&StyledStr>) -> String {
    let about = about.map(ToString::to_string).unwrap_or_default();
    let end = about.find([';', '.']).or_else(|| about.find(", or "));
    let about = &about[..end.unwrap_or(about.len())];
    format!("  {name:<11} {about}\n")
}

/// Returns the topic with all global options.
fn options_topic(program: &Command) -> Command {
    let options = program.get_arguments().filter(|it| it.is_hide_set());
    let options = options.map(|option| option.clone().hide(false).global(false));
    Command::new(OPTIONS_TOPIC)
        .about("Global options, which all commands accept")
        .args(options)
        .help_template("{about}\n\n{all-args}")
}

#[cfg(test)]
mod tests {
    use super::{EXIT_CODES, GROUPS, of_program};
    use crate::commands;
    use crate::outcome::FailureKind;

    #[test]
    fn exit_codes_are_those_of_failures() {
        for (kind, text) in [
            (FailureKind::Other, "any other error"),
            (FailureKind::Usage, "invalid arguments"),
            (FailureKind::NotFound, "not found"),
            (FailureKind::Unauthorized, "API key missing"),
            (FailureKind::Forbidden, "the service does not permit this"),
            (FailureKind::Rejected, "the service rejected the content"),
            (FailureKind::RateLimited, "rate limited"),
            (FailureKind::NoResponse, "network or TLS error"),
            #[cfg(feature = "webhook")]
            (FailureKind::Mismatch, "the webhook signature"),
            (FailureKind::Interrupted, "interrupted with Ctrl-C"),
        ] {
            let row = format!("\n  {:<4} {text}", kind.exit_code());
            assert!(EXIT_CODES.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_program_has_the_first_command_of_each_group() {
        let help = of_program(&commands::program());
        let has = |first: &str| cfg!(feature = "webhook") || first != "webhook";
        for (heading, first) in GROUPS.iter().filter(|(_, first)| has(first)) {
            let start = format!("\n{heading}:\n  {first} ");
            assert!(help.contains(&start), "{start}{help}");
        }
    }
}
