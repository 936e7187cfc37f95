//! Completes a command line: the script that `profile completion` prints runs the program, which prints the
//! candidates. Also the candidates for the values of arguments, which name them with `add`.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;
use std::{env, thread};

use clap::builder::PossibleValue;
use clap::{Args, Command, ValueEnum, ValueHint};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{Bash, CompleteEnv, EnvCompleter, Fish, Shells, Zsh};
use profile_sdk::{Profile, internal::longest_start};
#[cfg(feature = "webhook")]
use webhook_verify::EventKind;

use crate::outcome::Report;
use crate::output::Output;
use crate::session::Session;
use crate::settings::{GlobalArguments, Key, Needs, SettingName, Settings};
use crate::terminal::{printable, redact_key};
use ValueHint::{AnyPath, DirPath, FilePath};

/// The program, which the scripts run by its name.
const PROGRAM: &str = "profile";

/// Variable that a script sets to the name of its shell.
const VARIABLE: &str = "PROFILE_COMPLETE";

/// Maximum time for the request, and for everything else that may block.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of characters of a title.
const MAX_TITLE: usize = 50;

/// Options that select another service or key than those of the settings.
const SELECTING: [&str; 3] = ["--account", "--base-url", "--sandbox"];

/// Prints the candidates if a completion script asks for them, otherwise returns `None`. Prints no errors, which
/// would appear in the middle of the command line.
pub(crate) fn complete(program: fn() -> Command, words: &[OsString]) -> Option<ExitCode> {
    let is_bash = env::var_os(VARIABLE)? == "bash";
    let program = || {
        let mut program = program()
            .mut_args(|argument| argument.hide(false))
            .mut_arg("account", |argument| argument.add(accounts()));
        // Adds the arguments of the subcommands.
        program.build();
        match is_bash {
            true => with_safe_paths(program),
            false => program,
        }
    };
    let completion = CompleteEnv::with_factory(program).var(VARIABLE);
    let completion = completion.shells(Shells(&[&Bash, &Fish, &Zsh]));
    // The last word may have an open quote.
    let words = words.iter().map(|word| word.to_string_lossy());
    let words = words.map(|word| word.trim_start_matches(['"', '\'']).to_owned());
    let directory = env::current_dir().ok();
    match completion.try_complete(words, directory.as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// Leaves names of files that bash would interpret to bash, which quotes them.
fn with_safe_paths(command: Command) -> Command {
    let is_path = |hint| matches!(hint, AnyPath | FilePath | DirPath);
    let safe = |word: &OsStr| {
        let mut paths = PathCompleter::any().complete(word);
        paths.retain(|path| is_plain(&path.get_value().to_string_lossy()));
        paths
    };
    let command = command.mut_args(|argument| match is_path(argument.get_value_hint()) {
        true => argument.add(ArgValueCompleter::new(safe)),
        false => argument,
    });
    command.mut_subcommands(with_safe_paths)
}

#[derive(Debug, Args)]
#[command(after_help = "\
The scripts run `profile` to complete commands, options, accounts, settings and their values, kinds of \
events, and the IDs of your links and posts; zsh and fish show their titles. `profile` waits at most one \
second for the IDs. It sends nothing and offers no IDs if the key is in a keyring or the line has \
--account, --base-url or --sandbox, and omits IDs that a shell would interpret. Names of files after @ are \
not completed, nor in bash words with : or =. Install the script again when you update the program. There is no script for PowerShell.

Examples:
  source <(profile completion bash)                   in this session
  profile completion bash > ~/.local/share/bash-completion/completions/profile
  profile completion zsh > ~/.zfunc/_profile          with ~/.zfunc in $fpath
  profile completion fish > ~/.config/fish/completions/profile.fish")]
pub(crate) struct CompletionArguments {
    /// Name of the shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// A shell that can complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Appended to the script for zsh, which runs a script in `$fpath` as the completion function.
const ZSH_AUTOLOAD: &str = "\
if [ \"$funcstack[1]\" = _profile ]; then
    _clap_dynamic_completer_profile
fi
";

/// Reports the script of a shell.
pub(crate) fn script(arguments: &CompletionArguments) -> Report {
    let (shell, autoload): (&dyn EnvCompleter, _) = match arguments.shell {
        Shell::Bash => (&Bash, ""),
        Shell::Zsh => (&Zsh, ZSH_AUTOLOAD),
        Shell::Fish => (&Fish, ""),
    };
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script);
    written.expect("a Vec accepts any bytes");
    // With `default`, bash completes and quotes file names where the program has no candidates.
    let script = String::from_utf8_lossy(&script).replace("bashdefault", "default");
    Report::text((script + autoload).trim(), "script")
}

/// A value and its description, which may be empty.
type Candidate = (String, String);

/// Names of accounts.
pub(crate) fn accounts() -> ArgValueCandidates {
    candidates(known_accounts)
}

/// Names of settings.
pub(crate) fn settings() -> ArgValueCandidates {
    candidates(|| {
        let candidate = |name: SettingName| (name.to_string(), name.help());
        SettingName::all().map(candidate).collect()
    })
}

/// Known values of the setting that the line names.
pub(crate) fn setting_values() -> ArgValueCandidates {
    candidates(|| {
        let candidate = |value: PossibleValue| {
            let help = value.get_help().map(ToString::to_string);
            (value.get_name().to_owned(), help.unwrap_or_default())
        };
        let name = line().find_map(|word| SettingName::parse(&word).ok());
        match name {
            Some(SettingName::Account) => known_accounts(),
            Some(name) => name.known_values().into_iter().map(candidate).collect(),
            None => Vec::new(),
        }
    })
}

/// Known kinds of events.
#[cfg(feature = "webhook")]
pub(crate) fn event_kinds() -> ArgValueCandidates {
    candidates(|| {
        let candidate = |kind: &EventKind| (kind.to_string(), String::new());
        EventKind::KNOWN.iter().map(candidate).collect()
    })
}

/// IDs of links, with their titles.
pub(crate) fn links() -> ArgValueCandidates {
    candidates(|| {
        let links = profile().and_then(|profile| profile.links);
        let links = links.into_iter().flatten();
        items(links.filter_map(|link| Some((link.id?.to_string(), link.title))))
    })
}

/// IDs of posts, with their texts.
pub(crate) fn posts() -> ArgValueCandidates {
    candidates(|| {
        let posts = profile().and_then(|profile| profile.posts);
        let posts = posts.into_iter().flatten();
        items(posts.filter_map(|post| Some((post.id?.to_string(), post.body))))
    })
}

fn candidates(find: fn() -> Vec<Candidate>) -> ArgValueCandidates {
    ArgValueCandidates::new(move || find().into_iter().filter_map(safe_candidate).collect())
}

/// Returns the candidate, unless a shell might run a part of its value or take it for an option.
fn safe_candidate((value, description): Candidate) -> Option<CompletionCandidate> {
    if !is_plain(&value) || value.starts_with('-') {
        return None;
    }
    let description = printable(&description);
    let description = description.lines().next().unwrap_or_default();
    let description = (!description.is_empty()).then(|| description.replace('\t', " ").into());
    Some(CompletionCandidate::new(value).help(description))
}

/// Returns `true` if no shell interprets a part of the text.
fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || "._:@/+-".contains(c))
}

fn known_accounts() -> Vec<Candidate> {
    let Ok(settings) = Settings::load(&GlobalArguments::default(), Needs::File) else {
        return Vec::new();
    };
    let candidate = |name: String| {
        let base_url = settings.sources.config.base_url_of(&name).ok().flatten();
        let base_url = base_url.map(|url| url.to_string());
        (name, base_url.unwrap_or_default())
    };
    let accounts = settings.sources.config.accounts().into_iter();
    accounts.map(candidate).collect()
}

/// Returns the words of the line. Bash passes them as they were typed, with their quotes.
fn line() -> impl Iterator<Item = String> {
    env::args_os().map(|word| word.to_string_lossy().replace(['"', '\'', '\\'], ""))
}

/// Returns the profile, unless the line selects another service or key, the key is missing, wrong or in a keyring,
/// or the service does not respond in time.
fn profile() -> Option<Profile> {
    if line().any(|word| SELECTING.iter().any(|option| word.contains(option))) {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    // Reading the key may block if its file is a pipe or a terminal. The receiver may have timed out.
    thread::spawn(move || drop(sender.send(read_profile())));
    receiver.recv_timeout(TIMEOUT).ok()?
}

/// Returns the candidates for IDs with titles.
fn items(items: impl Iterator<Item = (String, Option<String>)>) -> Vec<Candidate> {
    let items = items.map(|(id, title)| {
        let title = title.unwrap_or_default();
        let fits = |start: &str| start.chars().count() <= MAX_TITLE;
        let title = longest_start(&title, fits).to_owned();
        (redact_key(&id).into_owned(), title)
    });
    items.collect()
}

fn read_profile() -> Option<Profile> {
    let options = GlobalArguments {
        quiet: true,
        timeout: Some(TIMEOUT),
        retries: Some(0),
        ..GlobalArguments::default()
    };
    let settings = Settings::load(&options, Needs::Reads).ok()?;
    let output = Output::new(&options, &settings, Needs::Reads).ok()?;
    // A keyring might ask for a password.
    if Key::is_in_keyring(&settings).ok()? {
        return None;
    }
    let session = Session::new(settings, &output, &[]);
    let profile = session.read(session.client().ok()?.me()).ok()?;
    Some(profile.into_data())
}
