//! A service with fixed responses, so that the benchmark measures the client.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

/// Serves `GET /me` and the statistics until the process ends, with one thread per connection.
pub(crate) fn serve(listener: &TcpListener) {
    let responses = Arc::new(Responses {
        me: response(&me()),
        statistics: response(&statistics()),
    });
    for stream in listener.incoming().flatten() {
        let responses = responses.clone();
        thread::spawn(move || handle(stream, &responses));
    }
}

struct Responses {
    me: Vec<u8>,
    statistics: Vec<u8>,
}

fn handle(stream: TcpStream, responses: &Responses) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = BufReader::new(stream.try_clone()?);
    let (mut stream, mut line, mut is_statistics) = (stream, String::new(), false);
    while requests.read_line(&mut line)? > 0 {
        if line.starts_with("GET ") {
            is_statistics = line.contains("/stats");
        }
        if line == "\r\n" {
            stream.write_all(match is_statistics {
                true => &responses.statistics,
                false => &responses.me,
            })?;
        }
        line.clear();
    }
    Ok(())
}

fn response(data: &Value) -> Vec<u8> {
    let body = json!({"data": data}).to_string();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n"
    );
    (head + &body).into_bytes()
}

/// Returns a profile with 20 links, about 1.5 KiB.
fn me() -> Value {
    let links: Vec<_> = (1..=20)
        .map(|number| {
            let (id, title) = (format!("l{number}"), format!("Page {number}"));
            json!({"id": id, "title": title, "url": format!("https://a.example/{number}")})
        })
        .collect();
    json!({
        "handle": "ada",
        "display_name": "Ada",
        "bio": "I write programs.\nSome of them work.",
        "location": "London",
        "accent_color": "#ff8800",
        "text_color": "#000000",
        "background_color": "#ffffff",
        "links": links,
        "email": "ada@example.org",
        "api_visible": true,
        "key": {
            "scopes": ["profile:write", "analytics:read", "links:write", "social:write"],
            "rate_limit": {"limit": 1000, "window_seconds": 60},
        },
    })
}

/// Returns view statistics of 365 days.
fn statistics() -> Value {
    let daily: Vec<_> = (0..365)
        .map(|day| {
            let date = format!("2025-{:02}-{:02}", 1 + day / 31, 1 + day % 31);
            json!({"date": date, "views": day % 40})
        })
        .collect();
    json!({
        "total_views": 20_000,
        "period": {"days": 365, "views": 7_000},
        "daily": daily,
        "devices": {"desktop": 3_000, "mobile": 3_000, "tablet": 1_000},
        "countries": [{"code": "US", "views": 4_000}, {"code": "DE", "views": 3_000}],
    })
}
