//! Creates the worlds and the server that the command line describes.

use std::io::{self, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use mock_server::{FaultRule, StateFile, World, Worlds, WorldsServer};

use crate::failure::Failure;
use crate::log::Log;
use crate::printable::printable;
use crate::server_options::ServerOptions;
use crate::settings::{Settings, read};

/// Creates the worlds of a server.
pub(crate) fn worlds(options: &ServerOptions) -> Result<Worlds, Failure> {
    let settings = Settings::read(options)?;
    let mut world = World::new(options.seed.unwrap_or_default());
    settings.apply(&mut world);
    let mut worlds = match &options.state {
        None => Worlds::in_memory(world),
        Some(path) => in_file(path, world, &settings)?,
    };
    worlds.set_journal_limits(options.journal_limits());
    if let Some(origin) = &options.cors {
        worlds
            .set_cors(origin)
            .map_err(Failure::in_option("--cors"))?;
    }
    if let Some(seed) = options.seed
        && *worlds.keys() != World::new(seed).keys()
    {
        // The same seed always yields the same keys, so these come from a state file.
        warn(&format!(
            "--seed {seed} is ignored: the state file has its own seed; use another file to start over"
        ));
    }
    if let Some(path) = &options.fault {
        FaultRule::from_json(&read("fault", path)?)
            .and_then(|rules| worlds.add_faults(rules))
            .map_err(Failure::in_file("fault", path))?;
    }
    Ok(worlds)
}

/// Opens a state file and applies the settings of the command line, which override those of the file.
fn in_file(path: &Path, world: World, settings: &Settings) -> Result<Worlds, Failure> {
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    let missing = directory.filter(|directory| !directory.exists());
    let mut worlds = Worlds::in_file(StateFile::new(path), world)?;
    if let Some(directory) = missing {
        warn(&format!("created the directory {}", directory.display()));
    }
    if !settings.is_empty() && worlds.update(|world| settings.apply(world))? {
        warn("--dialect replaces the dialect of the state file");
    }
    Ok(worlds)
}

/// Prints a warning to stderr.
pub(crate) fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "mock-server: {}", printable(message));
}

/// Binds the address, such as `127.0.0.1:0`, and creates the server, which logs to `log`.
pub(crate) fn listen(
    worlds: impl Into<Arc<Worlds>>,
    addr: &str,
    log: Option<&Log>,
) -> Result<WorldsServer, Failure> {
    let failed = |reason| Failure::Listen {
        addr: addr.to_owned(),
        reason,
    };
    let listener = TcpListener::bind(addr).map_err(failed)?;
    let server = WorldsServer::new(worlds, listener).map_err(failed)?;
    Ok(match log {
        Some(log) => server.log(log.writer()),
        None => server,
    })
}
