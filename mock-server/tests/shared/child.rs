//! Child processes that inherit no settings and no ignored signals from whoever runs the tests.

use std::env;
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
#[cfg(unix)]
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    process::Child,
    sync::{Arc, Once},
};

#[cfg(unix)]
use rustix::process::Signal;

/// Beginnings and ends of the names of variables that change what a program prints or connects to.
const PREFIXES: [&str; 6] = [
    "PROFILE_",
    "MOCK_SERVER_",
    "CLICOLOR",
    "LC_",
    "SSL_CERT_",
    "XDG_",
];
const SUFFIX: &str = "_PROXY";
const NAMES: [&str; 14] = [
    "BASH_ENV",
    "COLUMNS",
    "CURL_HOME",
    "EDITOR",
    "ENV",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "PAGER",
    "TERM",
    "TZ",
    "VISUAL",
];

/// Maximum time to wait for the end of a process group.
#[cfg(unix)]
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Returns a command with default signal handling, an empty home directory and without the settings of
/// the user.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    #[cfg(unix)]
    restore_default_signals();
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        let upper = name.to_string_lossy().to_ascii_uppercase();
        if PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
            || upper.ends_with(SUFFIX)
            || NAMES.contains(&upper.as_str())
        {
            command.env_remove(name);
        }
    }
    for name in ["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"] {
        command.env(name, env!("CARGO_TARGET_TMPDIR"));
    }
    command
}

/// Gives ignored signals a handler without an effect, because child processes inherit what is ignored but
/// have the default action for a signal with a handler. The tests themselves continue to ignore them.
#[cfg(unix)]
pub(crate) fn restore_default_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Other systems than Linux do not have the file; there, nothing is restored.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
        for signal in [
            Signal::INT,
            Signal::QUIT,
            Signal::HUP,
            Signal::TERM,
            Signal::CHILD,
        ] {
            let signal = signal.as_raw();
            if mask & (1 << (signal - 1)) != 0 {
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// Sends a signal to a process that the test started.
#[cfg(unix)]
pub(crate) fn send(signal: Signal, id: u32) {
    let id = rustix::process::Pid::from_raw(id.try_into().unwrap()).unwrap();
    rustix::process::kill_process(id, signal).unwrap();
}

/// Starts a program as process 1 of a namespace, which has to read this pipe, and returns its exit code after a
/// signal. Reports that a test is skipped where this is not permitted.
#[cfg(target_os = "linux")]
pub(crate) fn end_process_1(program: &Command, pipe: &Path, signal: Signal) -> Option<Option<i32>> {
    let namespace = ["--pid", "--fork", "--kill-child"];
    let mut permitted = command("unshare");
    permitted.args(namespace).arg("true").stderr(Stdio::null());
    if !permitted.status().is_ok_and(|status| status.success()) {
        return skip("needs unshare with a namespace of processes");
    }
    let mut unshare = command("unshare")
        .args(namespace)
        .arg(program.get_program())
        .args(program.get_args())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Opening it waits for the program, which then waits for the content.
    let _writer = fs::File::options().write(true).open(pipe).unwrap();
    let id = unshare.id();
    let child = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    send(signal, child.trim().parse().unwrap());
    Some(unshare.wait().unwrap().code())
}

/// Kills a process and its group, and waits until all of its processes have ended.
#[cfg(unix)]
pub(crate) fn kill_group(leader: &mut Child) {
    let group = rustix::process::Pid::from_child(leader);
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
    let _ = leader.wait();
    // Without a parent that collects them, ended processes stay in their group.
    let started = Instant::now();
    while rustix::process::test_kill_process_group(group).is_ok() && started.elapsed() < MAX_WAIT {
        thread::yield_now();
    }
}

/// Returns the peak memory usage of a process, in KiB.
#[cfg(unix)]
pub(crate) fn peak_memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Accepts a connection of a child process, which has to connect within 30 seconds.
pub(crate) fn accept(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let started = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                return stream;
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "nothing connects"
        );
        thread::sleep(Duration::from_millis(1));
    }
}

/// Checks that usage errors contain no characters that are invisible or that a terminal would obey.
pub(crate) fn usage_errors_are_visible(options: &[&str], stderr: impl Fn(&[&str]) -> String) {
    for odd in ["x\u{1b}]0;T\u{7}y", "x\ry", "x\u{202e}y", "x\u{a0}y"] {
        for option in options.iter().chain([&odd]) {
            let stderr = stderr(&[option, odd]);
            let is_visible = |c: char| c == '\n' || matches!(c, ' '..='~');
            assert!(
                !stderr.is_empty() && stderr.chars().all(is_visible),
                "{stderr:?}"
            );
        }
    }
}

/// Returns the value, or returns from a test that is skipped.
#[allow(unused_macros, reason = "other packages use more of it")]
macro_rules! or_skip {
    ($found:expr) => {
        match $found {
            Some(found) => found,
            None => return,
        }
    };
}

/// Reports that a test is skipped unless this program is installed.
pub(crate) fn require_installed(program: &str) -> Option<()> {
    let mut version = command(program);
    let version = version
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let installed = version.status().ok().map(drop);
    installed.or_else(|| skip(&format!("needs {program}, which is not installed")))
}

/// Reports that a test is skipped unless it may start this program as another user, with this directory. Fails if
/// the environment has `REQUIRE_OTHER_USER` and the user is root.
#[cfg(unix)]
pub(crate) fn require_other_user(program: &str, directory: &Path) -> Option<()> {
    // Others may enter a directory, or execute a program.
    let is_open = |path: &&Path| path.metadata().unwrap().mode() & 0o001 != 0;
    let parents = directory.ancestors().skip(1);
    let closed = parents
        .chain(Path::new(program).ancestors())
        .find(|path| !is_open(path));
    let reason = match (rustix::process::geteuid().is_root(), closed) {
        (false, _) => "starts a program as another user, which only root can".to_owned(),
        (true, None) => return Some(()),
        (true, Some(path)) => {
            assert!(
                env::var_os("REQUIRE_OTHER_USER").is_none(),
                "other users cannot enter or execute {}",
                path.display()
            );
            format!(
                "starts a program as another user, who cannot enter or execute {}",
                path.display()
            )
        }
    };
    skip(&reason)
}

/// Reports that a test is skipped. Unlike the output of `eprintln!`, this is also printed if the test succeeds.
pub(crate) fn skip<T>(reason: &str) -> Option<T> {
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    let message = format!("\n*** SKIPPED: {test} {reason} ***\n");
    std::io::stderr().write_all(message.as_bytes()).unwrap();
    None
}
