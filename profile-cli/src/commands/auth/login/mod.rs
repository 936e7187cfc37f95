//! `profile auth login`: checks a key with the service and stores it.

mod base_url;
mod storing;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

use clap::Args;
use profile_sdk::{ApiKey, Profile};

use self::storing::{Login, given_name, name_of};
use crate::input::{Input, prompt};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::Report;
use crate::session::{Session, client_for, curl};

#[derive(Debug, Args)]
#[command(after_help = "\
Asks for the base URL and the API key. The key is not accepted as an argument, which other users
could read, and is not shown while you type it. It is stored only if `GET /me` succeeds with it.

A base URL without a scheme gets https://, or http:// on this machine. The account is named after
your handle, or HANDLE@HOST if another service has an account of this name; --account NAME sets
another name. Replacing the key of an account asks first, or requires --yes. The account becomes the
selected one. The key is stored in the keyring of the system if the program was built with the feature
`keyring`, otherwise in a file that only you can read. To rename an account, log in with the new name
and log out of the old one.

Examples:
  profile auth login
  profile auth login --account work --base-url https://profiles.example
  profile auth login --with-token --base-url https://profiles.example < key.txt")]
pub(crate) struct LoginArguments {
    /// Read the key from standard input, which must not be a terminal
    #[arg(long)]
    with_token: bool,

    /// Rejected without repeating it, since it is probably a key
    #[arg(hide = true)]
    unexpected: Vec<OsString>,
}

/// Returns the failure of an argument that is probably a key, without the argument.
pub(crate) fn unexpected_key() -> Failure {
    let message = "unexpected argument; a key is not accepted as an argument, which other users \
                   could read";
    Failure::usage(message).hint(
        "redirect a file, `profile auth login --with-token < FILE`, or pipe the output of a \
         password manager",
    )
}

pub(crate) fn run(arguments: &LoginArguments, session: &Session<'_>) -> Result<Report, Failure> {
    if !arguments.unexpected.is_empty() {
        return Err(unexpected_key());
    }
    check_input(arguments.with_token, session)?;
    let given = given_name(session)?;
    let base_url = base_url::find(arguments.with_token, given.as_ref(), session)?;
    if session.settings.curl {
        return as_curl(&base_url, session);
    }
    let (key, profile) = match arguments.with_token {
        true => {
            let key = from_stdin()?;
            let profile = check_with_service(&base_url, key.trim(), session)?;
            (key, profile)
        }
        false => ask_for_key(&base_url, session)?,
    };
    let name = match given {
        Some(name) => name,
        None => name_of(&profile, &base_url, session)?,
    };
    let login = Login {
        name,
        base_url,
        profile,
    };
    let replaces = login.confirm_replacement(session)?;
    login.store(key.trim(), replaces)
}

/// Asks for the key until the service accepts one.
fn ask_for_key(base_url: &str, session: &Session<'_>) -> Result<(String, Profile), Failure> {
    loop {
        let key = prompt::ask_hidden("API key (not shown): ")?;
        match check_with_service(base_url, key.trim(), session) {
            Ok(profile) => return Ok((key, profile)),
            Err(failure) if is_wrong_key(&failure) => session.output.warn(&failure.message),
            Err(failure) => return Err(failure),
        }
    }
}

/// Returns `true` if another key may be accepted: this one is not well-formed, or is unknown.
fn is_wrong_key(failure: &Failure) -> bool {
    match failure.kind {
        FailureKind::Unauthorized => true,
        FailureKind::Usage => failure.message.starts_with("API key "),
        _ => false,
    }
}

/// Checks that the key can be read.
fn check_input(with_token: bool, session: &Session<'_>) -> Result<(), Failure> {
    let settings = &session.settings;
    if settings.sandbox {
        return Err(Failure::usage("the sandbox requires no login").hint("omit --sandbox"));
    }
    if settings.curl {
        return Ok(());
    }
    if with_token {
        return match io::stdin().is_terminal() {
            false => Ok(()),
            true => Err(
                Failure::usage("--with-token cannot read the key from a terminal")
                    .hint("omit it to be asked, or redirect a file: `--with-token < FILE`"),
            ),
        };
    }
    let message = match settings.no_input {
        true => "the API key is missing, and --no-input disables prompts",
        false if !prompt::is_interactive() => {
            "the API key is missing, and there is no terminal to ask on"
        }
        false => return Ok(()),
    };
    Err(Failure::usage(message)
        .hint("add --with-token to read the key from stdin: `--with-token < FILE`"))
}

fn as_curl(base_url: &str, session: &Session<'_>) -> Result<Report, Failure> {
    let call = client_for(base_url, None, session)?.me();
    let request = call.request().map_err(Failure::unsent)?;
    let proxy = curl::proxy(base_url, session)?;
    let command = curl::command(base_url, &proxy, request, true);
    Ok(Report::text(command, "curl"))
}

fn check_with_service(
    base_url: &str,
    key: &str,
    session: &Session<'_>,
) -> Result<Profile, Failure> {
    let nothing_stored = |failure: Failure| {
        let hint = match (failure.kind, &failure.hint) {
            (FailureKind::Unauthorized, _) => "nothing was stored; check the key".to_owned(),
            (_, Some(hint)) => format!("nothing was stored; {hint}"),
            (_, None) => "nothing was stored".to_owned(),
        };
        failure.hint(hint)
    };
    let key = ApiKey::new(key).map_err(|invalid| nothing_stored(invalid.into()))?;
    let client = client_for(base_url, Some(key), session).map_err(nothing_stored)?;
    let response = session.read(client.me()).map_err(nothing_stored)?;
    Ok(response.into_data())
}

fn from_stdin() -> Result<String, Failure> {
    let bytes = Input::Stdin.read()?;
    String::from_utf8(bytes).map_err(|_| Failure::usage("the key on stdin is not valid UTF-8"))
}
