//! The pseudo-terminal of Windows, which draws a screen. The screen has room for all output, so that no row is broken
//! or lost. What starts a process is repeated once, since one of thousands fails under Wine.

use std::env;
use std::fs::File;
use std::io::{Read as _, Write};
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;

use portable_pty::{CommandBuilder, PtyPair, PtySize, native_pty_system};
use winapi_util::console::mode;

use crate::program::Program;

const ROWS: u16 = 400;
pub(super) const COLUMNS: u16 = 500;

/// The program's end of a terminal, which has nothing to change.
pub(super) type Side<'a> = &'a ();

pub(super) struct System {
    input: Box<dyn Write + Send>,
    /// The output, and at the end of the program its exit code.
    output: Receiver<Result<Vec<u8>, u32>>,
    /// The terminal until the program ends, and then the exit code.
    program: Result<u32, PtyPair>,
    screen: vt100::Parser,
    /// The rightmost column of the cursor in each row: spaces at the end of a row are not drawn.
    widths: [u16; ROWS as usize],
}

impl System {
    /// Starts the program on a terminal with this number of columns.
    #[track_caller]
    pub(super) fn open((_, cols): (u16, u16), program: Program, _: fn(Side<'_>)) -> Self {
        let mut size = PtySize::default();
        (size.rows, size.cols) = (ROWS, cols);
        let start = || {
            let pair = native_pty_system().openpty(size);
            pair.and_then(|pair| Ok((pair.slave.spawn_command(runner(&program))?, pair)))
        };
        let (mut child, pair) = start().or_else(|_| start()).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = mpsc::channel();
        let ended = sender.clone();
        thread::spawn(move || ended.send(Err(child.wait().unwrap().exit_code())));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut bytes) {
                // A test that failed does not read it.
                let _ = sender.send(Ok(bytes[..length].to_vec()));
            }
        });
        let [rows, cols] = [ROWS, cols].map(|length| length.try_into().unwrap());
        Self {
            input: pair.master.take_writer().unwrap(),
            output,
            program: Err(pair),
            screen: vt100::Parser::new(rows, cols, 0),
            widths: [0; ROWS as usize],
        }
    }

    #[track_caller]
    pub(super) fn types(&mut self, text: &str) {
        let keys = text.replace('\n', "\r");
        self.input.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads more output; returns `false` at the end.
    #[track_caller]
    pub(super) fn read(&mut self, seen: &mut String) -> bool {
        let bytes = match self.output.recv_timeout(super::MAX_WAIT) {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(code)) => {
                self.program = Ok(code);
                return true;
            }
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => panic!("no more output after {seen:?}"),
        };
        // The terminal asks where the cursor is before it starts the program.
        if bytes.windows(4).any(|bytes| bytes == b"\x1b[6n") {
            self.types("\u{1b}[1;1R");
        }
        self.screen.process(&bytes);
        let screen = self.screen.screen();
        let (row, column) = screen.cursor_position();
        let width = &mut self.widths[usize::from(row)];
        *width = column.max(*width);
        let rows = screen.rows(0, u16::MAX).take(usize::from(row) + 1);
        let rows = rows.zip(self.widths.map(usize::from));
        let rows = rows.map(|(row, width)| format!("{:width$}", row.trim_end()));
        *seen = rows.collect::<Vec<_>>().join("\r\n");
        true
    }

    /// Returns the exit code of the program.
    #[track_caller]
    pub(super) fn end(self) -> Option<i32> {
        self.program.ok().map(u32::cast_signed)
    }
}

/// Returns a command that runs the program with the streams of the terminal: those of a new process are invalid.
fn runner(program: &Program) -> CommandBuilder {
    let null_stream = program.null_stream.unwrap_or(usize::MAX).to_string();
    let program = &program.command;
    let mut command = CommandBuilder::new(env::current_exe().unwrap());
    let options = "--exact pseudo_terminal::system::run --quiet --nocapture --";
    command.args(options.split(' '));
    command.args([null_stream.as_ref(), program.get_program()]);
    command.args(program.get_args());
    command.cwd(program.get_current_dir().unwrap_or(".".as_ref()));
    command.env_clear();
    command.env("TERM", "dumb");
    let set = program.get_envs();
    let set = set.filter_map(|(name, value)| Some((name, value?)));
    set.for_each(|(name, value)| command.env(name, value));
    command
}

/// Runs the program in the process on the terminal, and checks that it restores the terminal's settings.
#[test]
fn run() {
    let mut words = env::args().skip_while(|word| word != "--").skip(1);
    let Some(null_stream) = words.next() else {
        return;
    };
    let open = |name| File::options().read(true).write(true).open(name).unwrap();
    let (keyboard, screen) = (open("CONIN$"), open("CONOUT$"));
    // Instead of stderr, which is invalid.
    std::panic::set_hook(Box::new(move |panic| {
        let _ = writeln!(&screen, "{panic}");
    }));
    let before = mode(&keyboard).unwrap();
    let mut streams = ["CONIN$", "CONOUT$", "CONOUT$"].map(|name| Stdio::from(open(name)));
    if let Some(stream) = streams.get_mut(null_stream.parse::<usize>().unwrap()) {
        *stream = Stdio::null();
    }
    let [stdin, stdout, stderr] = streams;
    let mut command = Command::new(words.next().unwrap());
    command.args(words).stdin(stdin).stdout(stdout);
    command.stderr(stderr);
    let status = command.status().or_else(|_| command.status()).unwrap();
    assert_eq!(mode(&keyboard).unwrap(), before);
    process::exit(status.code().unwrap());
}
