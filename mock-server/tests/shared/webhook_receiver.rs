//! A receiver of deliveries with fixed responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// A received request: the lines of the head, with names in lower case, and the body.
#[derive(Debug, PartialEq)]
pub(crate) struct Arrived {
    pub(crate) request_line: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Arrived {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Listens on a free port, accepts one connection per response, then closes the port. Returns the
/// URL and a channel with the requests.
#[track_caller]
pub(crate) fn receive(answers: &[&str]) -> (String, Receiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hooks?team=1", listener.local_addr().unwrap());
    let answers: Vec<_> = answers.iter().map(|&answer| answer.to_owned()).collect();
    let (sender, arrived) = channel();
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let request = read(&stream);
            // The sender may close the connection before it has read the whole response.
            let _ = stream.write_all(answer.as_bytes());
            // The test may have dropped the channel.
            let _ = sender.send(request);
        }
    });
    (url, arrived)
}

fn read(stream: &TcpStream) -> Arrived {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let request_line = line();
    let headers: Vec<_> = std::iter::repeat_with(line)
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect();
    let mut arrived = Arrived {
        request_line,
        headers,
        body: Vec::new(),
    };
    let length = arrived.header("content-length").unwrap().parse().unwrap();
    arrived.body.resize(length, 0);
    reader.read_exact(&mut arrived.body).unwrap();
    arrived
}
