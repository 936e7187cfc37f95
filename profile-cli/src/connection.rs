//! Finds the service and the key, and makes the client that the commands use.

use std::env::{self, VarError};

use profile_sdk::{ApiKey, Client, ClientBuilder};

use crate::arguments::GlobalArguments;
use crate::failure::{Failure, or_sandbox};

/// What a command works with: the client, and whatever must live as long as it.
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// Whether questions are answered with yes.
    pub(crate) yes: bool,
    #[cfg(feature = "sandbox")]
    _sandbox: Option<crate::sandbox::Sandbox>,
}

impl Connection {
    /// Connects as the arguments and the environment say. Nothing is sent yet.
    pub(crate) async fn open(arguments: &GlobalArguments) -> Result<Self, Failure> {
        #[cfg(feature = "sandbox")]
        if arguments.sandbox {
            // The parser does not see a conflict between the two sides of a command's name.
            if arguments.base_url.is_some() {
                let message = "--sandbox and --base-url name two different services; give one";
                return Err(Failure::usage(message));
            }
            let sandbox = crate::sandbox::Sandbox::start().await?;
            return Ok(Self {
                client: client(sandbox.base_url(), Some(sandbox.api_key()?))?,
                yes: arguments.yes,
                _sandbox: Some(sandbox),
            });
        }
        Ok(Self {
            client: client(base_url(arguments)?, api_key()?)?,
            yes: arguments.yes,
            #[cfg(feature = "sandbox")]
            _sandbox: None,
        })
    }
}

/// A failure to make a client is a failure of the base URL; the key has been checked before.
fn client(base_url: String, api_key: Option<ApiKey>) -> Result<Client, Failure> {
    let mut builder: ClientBuilder = Client::builder()
        .base_url(base_url)
        .user_agent(concat!("profile-cli/", env!("CARGO_PKG_VERSION")));
    if let Some(api_key) = api_key {
        builder = builder.api_key(api_key);
    }
    let built = builder.build();
    built.map_err(|error| Failure::from(error).hint("check PROFILE_BASE_URL or --base-url"))
}

fn base_url(arguments: &GlobalArguments) -> Result<String, Failure> {
    if let Some(base_url) = &arguments.base_url {
        return Ok(base_url.clone());
    }
    environment("PROFILE_BASE_URL")?.ok_or_else(|| {
        let hint = format!("set PROFILE_BASE_URL or give --base-url{}", or_sandbox());
        Failure::usage("it is not known where the service is").hint(hint)
    })
}

fn api_key() -> Result<Option<ApiKey>, Failure> {
    let Some(text) = environment("PROFILE_API_KEY")? else {
        return Ok(None);
    };
    let key = ApiKey::new(text)
        .map_err(|invalid| Failure::from(invalid).hint("check PROFILE_API_KEY"))?;
    Ok(Some(key))
}

/// A variable of the environment; an empty one counts as not set.
fn environment(name: &str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Failure::usage(format!("{name} is not UTF-8 text"))),
    }
}
