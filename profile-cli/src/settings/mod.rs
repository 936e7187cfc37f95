//! The settings: options take precedence over the environment, config.toml and the defaults.

mod account;
mod config_edit;
mod config_file;
mod global_arguments;
mod key_store;
mod setting_name;
pub(crate) mod value;

use std::cell::OnceCell;
use std::time::Duration;

use clap::ColorChoice;
use hyper_util::client::proxy::matcher::Matcher;
use tracing::level_filters::LevelFilter;
use url::Url;

use crate::outcome::{Failure, Result};
use crate::system::environment;
use crate::terminal::{Palette, SafeUrl, understands_sequences};

use setting_name::{STRING, with_scheme};
use value::{SECONDS, choice, count, name_of, shown, switch};

pub(crate) use account::{AccountName, Key, masked};
pub(crate) use config_edit::ConfigEdit;
pub(crate) use config_file::{ConfigFile, KEY_STORE};
pub(crate) use global_arguments::{Format, GlobalArguments};
pub(crate) use key_store::KeyStore;
pub(crate) use setting_name::{SettingName, complete_url};
pub(crate) use value::{DEFAULT_RETRIES, DEFAULT_TIMEOUT, Setting, Source, seconds};

/// The sources of settings: options, environment and config.toml.
pub(crate) struct Sources {
    arguments: GlobalArguments,
    pub(crate) config: ConfigFile,
    base_url: OnceCell<Result<Setting<SafeUrl>>>,
    /// Read once, since a pipe is empty after that.
    key: OnceCell<Result<Option<Key>>>,
}

/// The settings of one run: the values that most commands use, and the sources of all others.
pub(crate) struct Settings {
    pub(crate) sources: Sources,
    pub(crate) format: Option<Format>,
    pub(crate) color: ColorChoice,
    pub(crate) yes: bool,
    pub(crate) no_input: bool,
    pub(crate) quiet: bool,
    pub(crate) sandbox: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retries: Option<u32>,
    pub(crate) log_level: LevelFilter,
}

/// The requirements of a command, each with those above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needs {
    /// Nothing; invalid settings are ignored.
    Nothing,
    /// Reads from the service, if the settings permit; invalid ones are part of the result.
    Diagnosis,
    /// A config.toml that is valid TOML; its values may be invalid, so that the command can fix them.
    File,
    /// Valid settings.
    Settings,
    /// Valid settings, and reads from the service.
    Reads,
    /// Valid settings, and writes to the service.
    Writes,
}

impl Settings {
    /// Reads the environment and config.toml. No key is read yet.
    pub(crate) fn load(arguments: &GlobalArguments, needs: Needs) -> Result<Self> {
        let config = match load_config(arguments) {
            Err(_) if needs < Needs::File => ConfigFile::unread(),
            loaded => loaded?,
        };
        if needs >= Needs::Settings {
            // Also of values that the command does not use.
            SettingName::all().try_for_each(|name| config.text(name).map(drop))?;
            config.check_accounts()?;
        }
        // clap does not detect conflicts between options before and after the subcommand.
        for name in [SettingName::BaseUrl, SettingName::Account] {
            if let Some(option) = arguments.setting(name).filter(|_| arguments.sandbox) {
                let message = format!("--sandbox cannot be used with {}", option.source);
                return Err(Failure::usage(message));
            }
        }
        let selects_json = arguments.json || arguments.jq.is_some();
        if selects_json && arguments.output.is_some_and(|format| !format.is_json()) {
            let option = if arguments.json { "--json" } else { "--jq" };
            let message = format!("{option} cannot be used with a different --output");
            return Err(Failure::usage(message));
        }
        let log_level = match log_level(arguments.verbose) {
            Err(_) if needs < Needs::Settings => LevelFilter::OFF,
            read => read?,
        };
        let sources = Sources {
            arguments: arguments.clone(),
            config,
            base_url: OnceCell::new(),
            key: OnceCell::new(),
        };
        let color = sources.read_if(needs, SettingName::Color, choice)?;
        let no_input = sources.read_if(needs, SettingName::NoInput, switch)?;
        Ok(Self {
            format: sources.read_if(needs, SettingName::Output, choice)?,
            color: color.unwrap_or_default(),
            yes: arguments.yes,
            no_input: no_input.unwrap_or_default(),
            quiet: arguments.quiet,
            sandbox: arguments.sandbox,
            timeout: sources.read_if(needs, SettingName::Timeout, seconds)?,
            retries: sources.read_if(needs, SettingName::Retries, count)?,
            log_level,
            sources,
        })
    }

    /// Returns `true` if no progress is shown: with `--quiet`, and with `--color never`, which prints no
    /// escape sequence.
    pub(crate) fn hides_progress(&self) -> bool {
        self.quiet || self.color == ColorChoice::Never
    }
}

impl Sources {
    /// Reads config.toml again, for a command that ignores an invalid file.
    pub(crate) fn check_config(&self) -> Result<()> {
        load_config(&self.arguments).map(drop)
    }

    /// Returns the failures of invalid variables that are not settings.
    pub(crate) fn invalid_variables(&self) -> impl Iterator<Item = Failure> {
        let log_level = log_level(self.arguments.verbose).err();
        log_level.into_iter().chain(excluded_hosts().err())
    }

    /// Parses a setting; an invalid one counts as unset unless all settings are required.
    fn read_if<T>(
        &self,
        needs: Needs,
        name: SettingName,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>> {
        match self.read(name, parse) {
            Err(_) if needs < Needs::Settings => Ok(None),
            read => read,
        }
    }

    /// Returns the text of a setting from options, environment, account or file.
    pub(crate) fn configured(&self, name: SettingName) -> Result<Option<Setting<String>>> {
        let is_option = self.arguments.setting(name).is_some();
        if name == SettingName::BaseUrl && !is_option && self.account_is_option() {
            return self.base_url_of_account();
        }
        if let Some(given) = self.override_for_run(name)? {
            return Ok(Some(given));
        }
        if name == SettingName::BaseUrl
            && let Some(base_url) = self.base_url_of_account()?
        {
            return Ok(Some(base_url));
        }
        if let Some(text) = self.config.text(name)? {
            if name == SettingName::Editor {
                self.config.check_owner()?;
            }
            let source = Source::File(self.config.path().to_owned());
            return Ok(Some(Setting::new(text, source)));
        }
        for variable in name.row().common_variables {
            if let Some(text) = environment::text(variable)? {
                return Ok(Some(Setting::new(text, Source::Environment(variable))));
            }
        }
        Ok(None)
    }

    /// Returns the text of a setting from options or environment.
    pub(crate) fn override_for_run(&self, name: SettingName) -> Result<Option<Setting<String>>> {
        if let Some(option) = self.arguments.setting(name) {
            return Ok(Some(option));
        }
        let Some(variable) = name.variable() else {
            return Ok(None);
        };
        let text = environment::text(variable)?;
        Ok(text.map(|text| Setting::new(text, Source::Environment(variable))))
    }

    /// Returns the text of a setting, or its default.
    pub(crate) fn effective(&self, name: SettingName) -> Result<Option<Setting<String>>> {
        let default = || Some(Setting::new((name.row().default)()?, Source::Default));
        Ok(self.configured(name)?.or_else(default))
    }

    /// Returns the failure of an invalid setting, with the line for config.toml.
    fn invalid(&self, name: SettingName, source: &Source, reason: &str) -> Failure {
        let place = match source {
            Source::File(_) => self.config.location(name),
            source => source.to_string(),
        };
        Failure::usage(format!("{place}: {name} {reason}")).field(name.as_str())
    }

    /// Parses a setting, if it is set.
    pub(crate) fn read<T>(
        &self,
        name: SettingName,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>> {
        let Some(setting) = self.configured(name)? else {
            return Ok(None);
        };
        let parsed = parse(&setting.value).map(Some);
        parsed.map_err(|reason| self.invalid(name, &setting.source, &reason))
    }

    /// Returns the proxy for a base URL: that of config.toml, or that of the environment variables
    /// that curl reads, unless NO_PROXY names the host.
    ///
    /// Both are ignored for plain HTTP, which only this machine may use: a proxy could read
    /// the key, and could not reach the service.
    pub(crate) fn proxy(&self, base_url: &SafeUrl) -> Result<Option<Setting<SafeUrl>>> {
        // Parsed, since a scheme may be in upper case.
        let is_https = |url: &&Url| url.scheme() == "https";
        let Some(base_url) = base_url.parsed().filter(is_https) else {
            return Ok(None);
        };
        let proxy = self.configured(SettingName::Proxy)?;
        let Some(proxy) = proxy.filter(|proxy| !proxy.value.is_empty()) else {
            return Ok(None);
        };
        let url = SafeUrl::new(with_scheme(&proxy.value));
        let proxy = Setting::new(url, proxy.source);
        if matches!(proxy.source, Source::File(_)) {
            return Ok(Some(proxy));
        }
        let excluded = excluded_hosts()?;
        let matcher = Matcher::builder()
            .https("http://proxy")
            .no(excluded.as_str())
            .build();
        let uri = base_url.as_str().parse::<http::Uri>().ok();
        // The matcher compares `*` only with names.
        let is_used =
            excluded.trim() != "*" && uri.is_some_and(|uri| matcher.intercept(&uri).is_some());
        Ok(Some(proxy).filter(|_| is_used))
    }
}

/// Reads config.toml, without which a key and a base URL of options and environment are enough.
fn load_config(arguments: &GlobalArguments) -> Result<ConfigFile> {
    let is_option = |name| arguments.setting(name).is_some();
    let variable = SettingName::BaseUrl.variable();
    let is_needed = !(is_option(SettingName::BaseUrl) || variable.is_some_and(environment::is_set))
        || is_option(SettingName::Account)
        || !Key::is_in_environment();
    ConfigFile::load(is_needed)
}

/// Returns the hosts that need no proxy.
fn excluded_hosts() -> Result<String> {
    Ok(match environment::text("no_proxy")? {
        Some(hosts) => hosts,
        None => environment::text("NO_PROXY")?.unwrap_or_default(),
    })
}

fn log_level(verbose: u8) -> Result<LevelFilter> {
    match verbose {
        0 => match environment::text("PROFILE_LOG")? {
            None => Ok(LevelFilter::OFF),
            Some(text) => text.parse().map_err(|_| {
                let expected = "off, error, warn, info, debug or trace";
                let text = shown(&text);
                Failure::usage(format!("PROFILE_LOG is {text}; expected {expected}"))
            }),
        },
        1 => Ok(LevelFilter::INFO),
        2 => Ok(LevelFilter::DEBUG),
        _ => Ok(LevelFilter::TRACE),
    }
}

/// Returns the colors of a stream, or `None` if it should not be colored.
pub(crate) fn palette(choice: ColorChoice, is_terminal: bool) -> Option<Palette> {
    let text = |name| environment::text(name).ok().flatten().unwrap_or_default();
    let palette = match (text("COLORTERM").as_str(), text("TERM")) {
        ("truecolor" | "24bit", _) => Palette::Full,
        (_, term) if term.contains("256color") => Palette::Indexed,
        _ => Palette::Basic,
    };
    let is_capable = is_terminal && understands_sequences();
    let is_colored = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if environment::is_set("NO_COLOR") => false,
        ColorChoice::Auto => match text("CLICOLOR_FORCE").as_str() {
            "" | "0" | "false" => is_capable,
            _ => true,
        },
    };
    is_colored.then_some(palette)
}
