//! A service that allows 10 requests per second.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const LIMIT: u32 = 10;
const WINDOW: Duration = Duration::from_secs(1);

/// A running service. Its threads end with the process.
#[derive(Clone)]
pub(crate) struct LimitedService {
    pub(crate) base_url: String,
    window: Arc<Mutex<Window>>,
}

struct Window {
    start: Instant,
    used: u32,
    requests: u32,
}

impl LimitedService {
    /// Starts a service with `Retry-After` and `X-RateLimit-*` headers, or without.
    pub(crate) fn start(has_headers: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let service = Self {
            base_url: format!("http://{address}"),
            window: Arc::new(Mutex::new(Window {
                start: Instant::now(),
                used: 0,
                requests: 0,
            })),
        };
        let accepted = service.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let service = accepted.clone();
                thread::spawn(move || service.handle(stream, has_headers));
            }
        });
        service
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> u32 {
        self.window.lock().expect("no panic").requests
    }

    fn handle(&self, mut stream: TcpStream, has_headers: bool) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let (mut requests, mut line) = (BufReader::new(stream.try_clone()?), String::new());
        while requests.read_line(&mut line)? > 0 {
            if line == "\r\n" {
                stream.write_all(self.response(has_headers).as_bytes())?;
            }
            line.clear();
        }
        Ok(())
    }

    fn response(&self, has_headers: bool) -> String {
        let (is_allowed, remaining, reset) = self.count();
        let mut head = match is_allowed {
            true => "HTTP/1.1 200 OK\r\n",
            false => "HTTP/1.1 429 Too Many Requests\r\n",
        }
        .to_owned();
        if has_headers {
            head.push_str(&format!(
                "x-ratelimit-limit: {LIMIT}\r\nx-ratelimit-remaining: {remaining}\r\n\
                 x-ratelimit-reset: {reset}\r\n"
            ));
        }
        if has_headers && !is_allowed {
            head.push_str(&format!("retry-after: {reset}\r\n"));
        }
        let body = r#"{"data":[]}"#;
        head + &format!("content-length: {}\r\n\r\n{body}", body.len())
    }

    /// Counts a request. Returns `true` if it is allowed, the number of requests left in the window,
    /// and the seconds until it ends, rounded up.
    fn count(&self) -> (bool, u32, u64) {
        let mut window = self.window.lock().expect("no panic");
        let now = Instant::now();
        if now - window.start >= WINDOW {
            (window.start, window.used) = (now, 0);
        }
        window.requests += 1;
        let is_allowed = window.used < LIMIT;
        window.used += u32::from(is_allowed);
        let left = WINDOW.saturating_sub(now - window.start);
        let seconds = left.as_millis().div_ceil(1000);
        let seconds = u64::try_from(seconds).expect("at most one second");
        (is_allowed, LIMIT - window.used, seconds)
    }
}
