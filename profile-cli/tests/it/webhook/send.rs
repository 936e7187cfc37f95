//! `profile webhook send`.

use std::io::{Read as _, Write as _};
use std::path::Path;

use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, MockServer as LocalReceiver, ResponseTemplate};

use webhook_verify::EventKind;

use super::{BODY, SIGNATURE, file, home, webhook};
use crate::program::{Program, Run};
#[cfg(target_os = "linux")]
use crate::tls_service::TlsService;

/// Starts a receiver that responds with these statuses in turn, and then always with the last.
async fn receiver(statuses: &[u16]) -> LocalReceiver {
    let server = LocalReceiver::start().await;
    let (last, first) = statuses.split_last().unwrap();
    for status in first {
        let answer = Mock::given(any()).respond_with(ResponseTemplate::new(*status));
        answer.up_to_n_times(1).mount(&server).await;
    }
    let answer = Mock::given(any()).respond_with(ResponseTemplate::new(*last));
    answer.mount(&server).await;
    server
}

/// Sends a `post.liked` to this URL.
fn send(home: &Path, to: &str, further: &[&str]) -> Run {
    let arguments = [&["send", "post.liked", "--to", to], further].concat();
    webhook(home, &arguments).run()
}

#[tokio::test]
async fn sends_the_body_byte_for_byte() {
    let home = home();
    let to = receiver(&[200]).await;
    let data = format!("@{}", file(home.path(), "data", BODY).1);
    let sent = send(home.path(), &to.uri(), &["--data", &data, "--json"]);
    assert_eq!(sent.json()["status"], 200);
    assert_eq!(sent.json()["event"], "post.liked");
    let requests = to.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].body, BODY.as_bytes());
    assert_eq!(requests[0].headers["x-service-event"], "post.liked");
    assert_eq!(requests[0].headers["x-service-signature"], SIGNATURE);
    assert_eq!(requests[0].headers["content-type"], "application/json");
}

/// `probe` sends by the same function.
#[tokio::test]
async fn the_log_has_headers_and_bodies_without_the_secret() {
    const SECRET: &str = "a\"secret_0123456789";
    let home = home();
    let answer = ResponseTemplate::new(200).insert_header("x-echo", SECRET);
    let answer = answer.set_body_string(format!("ended {SECRET}"));
    let receiver = super::receiver(answer).await;
    // As in a base URL, the scheme may be omitted.
    let to = &receiver.address().to_string();
    let [one, two, three] = ["-v", "-vv", "-vvv"].map(|flag| {
        let arguments = ["send", "post.liked", "--to", to, "--data", "\"body\"", flag];
        let run = webhook(home.path(), &arguments)
            .env("PROFILE_WEBHOOK_SECRET", SECRET)
            .run();
        run.stdout();
        assert!(!run.to_string().contains(SECRET), "{run}");
        run.stderr()
    });
    let request = format!("> POST http://{to}, 6 bytes\n");
    let (header, body) = ("> x-service-event: \"post.liked\"\n", "> \"body\"\n");
    for (log, has_header, has_body) in
        [(one, false, false), (two, true, false), (three, true, true)]
    {
        assert!(log.starts_with(&request), "{log}");
        assert!(log.contains("< 200\n"), "{log}");
        assert_eq!(log.contains(header), has_header, "{log}");
        assert_eq!(log.contains(body), has_body, "{log}");
        assert_eq!(log.contains("< ended [redacted]\n"), has_body, "{log}");
        assert_eq!(log.contains("< x-echo: [redacted]\n"), has_header, "{log}");
    }
}

#[tokio::test]
async fn sends_a_default_body() {
    let home = home();
    let to = receiver(&[204]).await;
    let sent = webhook(home.path(), &["send", "post.shared", "--to", &to.uri()]).run();
    sent.stdout();
    let warning = "warning: post.shared is not a known kind of event; sending it anyway\n";
    assert_eq!(sent.stderr(), warning);
    let requests = to.received_requests().await.unwrap();
    let body: serde_json::Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(body["type"], "post.shared");
    assert_eq!(body["data"], serde_json::json!({}));
    let created = body["created_at"].as_str().unwrap();
    assert!(created.ends_with('Z'), "{body}");
}

#[tokio::test]
async fn sends_an_example_of_each_kind() {
    let home = home();
    let to = receiver(&[204]).await;
    let mut kinds: Vec<_> = EventKind::KNOWN.iter().map(EventKind::to_string).collect();
    kinds.insert(0, kinds[0].clone());
    for kind in &kinds {
        let sent = webhook(home.path(), &["send", kind, "--to", &to.uri()]);
        sent.run().stdout();
    }
    let requests = to.received_requests().await.unwrap();
    assert_ne!(requests[0].body, requests[1].body, "in one second");
    for (request, kind) in requests.iter().zip(&kinds) {
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["type"], *kind);
        assert_eq!(body["data"]["from"], "grace", "{kind}");
    }
}

#[tokio::test]
async fn sends_json_from_the_arguments_byte_for_byte() {
    let home = home();
    let to = receiver(&[204]).await;
    let json = r#"{ "a": 1.50 }"#;
    send(home.path(), &to.uri(), &["--data", json]).stdout();
    let run = send(home.path(), &to.uri(), &["--data", "body.json"]);
    run.fails(2, "expected JSON, @PATH, or - for stdin");
    let requests = to.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].body, json.as_bytes());
}

#[tokio::test]
async fn prints_and_counts_each_response() {
    let home = home();
    let to = receiver(&[200, 500, 302]).await;
    let sent = send(home.path(), &to.uri(), &["--count", "3", "--json"]);
    let lines = sent.json_lines();
    let statuses: Vec<_> = lines.iter().map(|line| &line["status"]).collect();
    assert_eq!(statuses, [200, 500, 302]);
    let error = sent.error();
    assert_eq!(error["exit_code"], 1);
    assert_eq!(error["status"], 500);
    let message =
        "2 of 3 deliveries failed; the first: the receiver returned status 500, expected 2xx";
    assert_eq!(error["message"], message);
    assert_eq!(to.received_requests().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_rejected_signature_has_a_hint() {
    let home = home();
    let hint = "hint: the receiver may use another secret, or verify a parsed body instead of the raw \
                bytes; `profile webhook probe` tests it\n";
    let csrf = "; or CSRF protection answered, which must exclude the path\n";
    let forbidden = hint.replace('\n', csrf);
    for (status, expected) in [(401, hint), (403, &forbidden), (400, hint)] {
        let to = receiver(&[200, status, 500]).await;
        let sent = send(home.path(), &to.uri(), &["--count", "3"]);
        let message = format!(
            "error: 2 of 3 deliveries failed; the first: the receiver returned status {status}, \
             expected 2xx\n{expected}"
        );
        assert_eq!(sent.stderr(), message);
    }
}

/// Of a receiver that responds only to the first delivery.
#[cfg(unix)]
#[test]
fn an_interrupted_delivery_is_reported() {
    use rustix::process::Signal;
    let home = home();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let receiver = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", receiver.local_addr().unwrap());
        for command in [
            &["send", "post.liked", "--count", "2", "--json", "--to", &url][..],
            &["probe", &url, "--yes", "--json"],
        ] {
            let running = webhook(home.path(), command).start();
            let mut stream = crate::child::accept(&receiver);
            let _ = stream.read(&mut [0; 4096]).unwrap();
            let response = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
            stream.write_all(response).unwrap();
            let mut second = crate::child::accept(&receiver);
            let _ = second.read(&mut [0; 4096]).unwrap();
            running.signal(signal);
            let run = running.end();
            assert_eq!(run.code(), -i64::from(signal.as_raw()), "{run}");
            assert_eq!(run.error()["code"], "interrupted");
            let printed = String::from_utf8_lossy(run.stdout_bytes());
            assert!(printed.contains("\"status\":204"), "{printed}");
        }
    }
}

/// A receiver may close a connection after a response without announcing it.
#[test]
fn each_delivery_has_a_connection_of_its_own() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut buffer = [0; 4096];
            let mut received = Vec::new();
            for status in [204, 421] {
                while !received.ends_with(b"{}") {
                    let Ok(length @ 1..) = connection.read(&mut buffer) else {
                        break;
                    };
                    received.extend_from_slice(&buffer[..length]);
                }
                received.clear();
                let response = format!("HTTP/1.1 {status} S\r\ncontent-length: 0\r\n\r\n");
                let _ = connection.write_all(response.as_bytes());
            }
        }
    });
    let further = ["--data", "{}", "--count", "2", "--timeout", "10"];
    send(home().path(), &to, &further).stdout();
}

#[test]
fn fails_without_a_receiver() {
    let home = home();
    let sent = send(home.path(), "http://127.0.0.1:1/hooks", &["--count", "2"]);
    let error = "error: 2 of 2 deliveries failed; the first: cannot connect: ";
    sent.fails(8, error);
    assert!(sent.stderr().starts_with(error), "{sent}");
    let hint = "hint: check that a receiver listens at http://127.0.0.1:1/hooks\n";
    assert!(sent.stderr().ends_with(hint), "{sent}");
}

#[test]
fn a_silent_receiver_times_out() {
    let home = home();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("http://{}", silent.local_addr().unwrap());
    send(home.path(), &to, &["--timeout", "0.1"]).fails(8, "timed out");
    // It is silent in the handshake, so nothing is sent.
    let to = to.replace("http:", "https:");
    send(home.path(), &to, &["--timeout", "2"]).fails(8, "cannot connect");
    let delete = ["link", "delete", "link_1", "--yes", "--timeout", "2"];
    let program = Program::new(home.path(), &delete).env("PROFILE_BASE_URL", &to);
    program
        .env("PROFILE_API_KEY", "key")
        .run()
        .fails(8, "could not connect");
}

#[tokio::test]
async fn sends_nothing_with_invalid_arguments() {
    let home = home();
    let to = receiver(&[200]).await;
    for arguments in [
        &["send", "two words", "--to", &to.uri()][..],
        &["send", "", "--to", &to.uri()],
        &["send", "post.liked", "--to", &to.uri(), "--count", "0"],
        &["send", "post.liked", "--to", &to.uri(), "--data", "@none"],
        &["send", "post.liked", "--to", "hooks"],
        &["send", "post.liked"],
    ] {
        let run = webhook(home.path(), arguments).run();
        assert_eq!(run.code(), 2, "{run}");
    }
    assert!(to.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_status_that_is_not_of_the_verification_has_advice() {
    let home = home();
    for (status, expected) in [
        (301, "redirects to http://***@127.0.0.1/login, "),
        (307, "redirects to http://***@127.0.0.1/login, "),
        (404, "check the path"),
        (405, "does not accept POST"),
        (413, "a limit on the size of bodies answered"),
        (415, "the content type"),
        (419, "CSRF protection"),
        (422, "CSRF protection"),
        (429, "a limit of the receiver"),
        (500, "its log may contain the reason"),
        (503, "its log may contain the reason"),
    ] {
        let location = "http://user:hush@127.0.0.1/login?token=hush";
        let answer = ResponseTemplate::new(status).insert_header("Location", location);
        let receiver = super::receiver(answer).await;
        let uri = receiver.uri();
        for arguments in [
            &["send", "post.liked", "--to", &uri][..],
            &["probe", &uri, "--yes"],
        ] {
            let run = webhook(home.path(), arguments).run();
            assert_eq!(run.code(), 1, "{run}");
            let error = run.stderr();
            let (_, hint) = error.rsplit_once("\nhint: ").unwrap();
            assert!(hint.contains(expected), "{hint}");
            assert!(!hint.contains("secret"), "{run}");
            assert!(!run.to_string().contains("hush"), "{run}");
        }
    }
}

/// Only receivers on other machines are reached through the proxy, in a tunnel.
#[tokio::test]
async fn uses_the_proxy_for_other_machines() {
    let home = home();
    for (url, is_used) in [
        ("https://receiver.example/hooks", true),
        ("http://127.0.0.1:1/hooks", false),
        ("https://127.0.0.1:1/hooks", false),
        ("https://localhost:1/hooks", false),
    ] {
        let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        proxy.set_nonblocking(!is_used).unwrap();
        let address = format!("http://ada:hush@{}", proxy.local_addr().unwrap());
        let program = webhook(home.path(), &["send", "post.liked", "--to", url]);
        let running = program.env("HTTPS_PROXY", address).start();
        let accepted = proxy.accept();
        if is_used {
            let (mut stream, _) = accepted.unwrap();
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).unwrap();
            let request = String::from_utf8_lossy(&bytes[..length]);
            let start = "CONNECT receiver.example:443 ";
            assert!(request.starts_with(start), "{request}");
        }
        let run = running.end();
        assert_eq!(run.code(), 8, "{run}");
        assert!(!run.to_string().contains("hush"), "{run}");
        let named = "cannot connect through the proxy http://***@127.0.0.1:";
        assert_eq!(run.stderr().contains(named), is_used, "{run}");
        if !is_used {
            assert!(proxy.accept().is_err(), "{url}");
        }
    }
}

/// Starts a receiver with a certificate of `openssl req -x509`. Returns its URL.
#[cfg(target_os = "linux")]
fn serve(home: &Path, options: &str) -> String {
    let command = format!(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj \
         /CN=localhost {options}"
    );
    let mut words = command.split_whitespace();
    let mut openssl = crate::child::command(words.next().unwrap());
    let made = openssl.args(words).current_dir(home).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let read = |name: &str| std::fs::read_to_string(home.join(name)).unwrap();
    TlsService::with(read("cert.pem"), &read("key.pem")).base_url
}

/// The certificates that people create for a development server, and the one that the hint suggests.
#[cfg(target_os = "linux")]
#[test]
fn names_the_remedies_for_a_certificate() {
    or_skip!(crate::child::require_installed("openssl"));
    let home = home();
    let home = home.path();
    let send_trusting = |url: &str, certificate: &str| {
        let program = webhook(home, &["send", "post.liked", "--to", url]);
        program.env("SSL_CERT_FILE", home.join(certificate)).run()
    };
    let url = serve(home, "");
    let extension = "basicConstraints=critical,CA:FALSE";
    send_trusting(&url, "cert.pem").fails(8, extension);
    let url = serve(
        home,
        &format!("-addext {extension} -addext subjectAltName=DNS:localhost"),
    );
    let other = TlsService::start().certificate;
    std::fs::write(home.join("others.pem"), other).unwrap();
    send_trusting(&url, "others.pem")
        .fails(8, "hint: if a private authority issued the receiver's");
    assert_eq!(send_trusting(&url, "cert.pem").code(), 0);
}

#[test]
fn an_unknown_host_has_a_hint_about_its_name() {
    // No label of a name has more than 63 bytes, so no server is asked.
    let url = format!("http://{}/hooks", "x".repeat(64));
    let hint = format!("hint: check the name of the host in {url}\n");
    send(home().path(), &url, &[]).fails(8, &hint);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_a_receiver_without_https() {
    let home = home();
    let receiver = receiver(&[204]).await;
    let url = receiver.uri().replace("http://", "https://");
    let run = send(home.path(), &url, &[]);
    run.says("does not support HTTPS on this port");
}
