//! The command-line options of the control API.

use std::path::PathBuf;

use clap::Args;
use mock_server::WorldsServer;

use crate::failure::Failure;
use crate::settings::read;

/// The options of the control API.
#[derive(Debug, Args)]
pub(crate) struct ControlOptions {
    /// Host name that the control API serves besides IP addresses and localhost; can be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// File with a token that the control API requires (Authorization: Bearer TOKEN)
    #[arg(long, value_name = "FILE")]
    control_token_file: Option<PathBuf>,
    /// Disable the control API
    // The container image passes `--allow-host` itself.
    #[arg(long, conflicts_with = "control_token_file")]
    no_control: bool,
}

impl ControlOptions {
    pub(crate) fn apply(&self, mut server: WorldsServer) -> Result<WorldsServer, Failure> {
        if self.no_control {
            return Ok(server.without_control());
        }
        for name in &self.allow_host {
            server = server
                .allow_host(name)
                .map_err(Failure::in_option("--allow-host"))?;
        }
        let Some(path) = &self.control_token_file else {
            return Ok(server);
        };
        let text = read("control token", path)?;
        let server = server.control_token(text.trim_end());
        server.map_err(Failure::in_file("control token", path))
    }
}
