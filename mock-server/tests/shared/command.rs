//! A command for other programs to run, such as an editor, on all systems: the test binary, which sends its arguments,
//! its environment and its input to the process of the test, and gets the result of a function from there.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process;
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

/// Printed to stdout by the harness of the tests before the command starts.
pub(crate) const HEADER: &str = "\nrunning 1 test\n";

/// The variable with what the command prints on a terminal before it reads a line from there.
pub(crate) const QUESTION: &str = "COMMAND_QUESTION";

/// A run of the command.
pub(crate) struct Call {
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) stdin: String,
    pub(crate) stdout: String,
}

type Function = Arc<dyn Fn(&mut Call) -> i32 + Send + Sync>;

/// The functions of all commands. The first argument of a command is the index of its function.
static FUNCTIONS: Mutex<Vec<Function>> = Mutex::new(Vec::new());

/// The address of the listener of all commands. A listener for each would stay open until the process ends.
static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(BufReader::new(stream.unwrap())));
        }
    });
    address
});

fn answer(mut stream: BufReader<TcpStream>) {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let (index, arguments, environment, stdin): (usize, _, _, _) =
        serde_json::from_str(&line).unwrap();
    let function = Arc::clone(&FUNCTIONS.lock().unwrap()[index]);
    let stdout = String::new();
    let mut call = Call {
        arguments,
        environment,
        stdin,
        stdout,
    };
    let code = function(&mut call);
    // A command that was killed does not read it.
    let _ = serde_json::to_writer(stream.get_ref(), &(code, call.stdout));
}

/// Returns the words of a command. The function returns the exit code. Appended words are the arguments.
pub(crate) fn command(run: impl Fn(&mut Call) -> i32 + Send + Sync + 'static) -> Vec<String> {
    let index = {
        let mut functions = FUNCTIONS.lock().unwrap();
        functions.push(Arc::new(run));
        functions.len() - 1
    };
    let executable = env::current_exe().unwrap();
    // For the harness, further words are the names of other tests.
    let options = "--exact command::run --quiet --nocapture".split(' ');
    let words = [executable.to_str().unwrap()].into_iter().chain(options);
    let words = words.map(str::to_owned);
    words
        .chain([ADDRESS.to_string(), index.to_string()])
        .collect()
}

/// Is the command if one of its arguments is the address of a test.
#[test]
fn run() {
    let mut arguments = env::args().skip_while(|argument| argument.parse::<SocketAddr>().is_err());
    let Some(address) = arguments.next() else {
        return;
    };
    let index: usize = arguments.next().unwrap().parse().unwrap();
    let arguments: Vec<_> = arguments.collect();
    let environment: BTreeMap<_, _> = env::vars().collect();
    let mut input = String::new();
    if !io::stdin().is_terminal() {
        io::stdin().read_to_string(&mut input).unwrap();
    } else if let Some(question) = environment.get(QUESTION) {
        io::stdout().write_all(question.as_bytes()).unwrap();
        io::stdin().read_line(&mut input).unwrap();
    }
    let mut stream = TcpStream::connect(address).unwrap();
    let call = serde_json::to_string(&(index, arguments, environment, input)).unwrap();
    writeln!(stream, "{call}").unwrap();
    let (code, stdout): (i32, String) = serde_json::from_reader(stream).unwrap();
    io::stdout().write_all(stdout.as_bytes()).unwrap();
    process::exit(code);
}
