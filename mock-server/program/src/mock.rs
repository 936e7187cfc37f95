//! A mock for one run of a command.

use std::io;
use std::sync::Arc;

use mock_server::{Verdicts, Worlds, WorldsServer};
use tokio::task::JoinHandle;

use crate::failure::Failure;
use crate::log::Log;
use crate::setup::listen;

/// A server in a task, which ends when this is dropped.
pub(crate) struct Mock {
    worlds: Arc<Worlds>,
    environment: Vec<(&'static str, String)>,
    serving: JoinHandle<io::Result<()>>,
}

impl Mock {
    pub(crate) fn start(worlds: Worlds, addr: &str, log: Option<&Log>) -> Result<Self, Failure> {
        let worlds = Arc::new(worlds);
        let server = listen(worlds.clone(), addr, log)?;
        Ok(Self {
            environment: environment(&server, &worlds),
            serving: tokio::spawn(server.serve_until(std::future::pending())),
            worlds,
        })
    }

    /// Returns the environment variables of the command.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        let variables = self.environment.iter();
        variables.map(|(name, value)| (*name, value.as_str()))
    }

    pub(crate) fn verdicts(&self) -> Verdicts {
        self.worlds.verdicts()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn environment(server: &WorldsServer, worlds: &Worlds) -> Vec<(&'static str, String)> {
    let keys = worlds.keys();
    let all = serde_json::to_string(keys).expect("keys contain only strings");
    vec![
        ("PROFILE_BASE_URL", server.url().to_owned()),
        ("PROFILE_API_KEY", keys.all.clone()),
        (
            "MOCK_SERVER_CONTROL",
            server.control_url().unwrap_or_default(),
        ),
        ("MOCK_SERVER_KEYS", all),
    ]
}
