//! Parsing of requests to the control API, and the URLs in its responses.

use serde_json::{Value, json};

use crate::request::request_exactly;
use crate::serving::serve;

const NOTHING: Value = Value::Null;

#[test]
fn rejects_an_integer_that_is_too_large() {
    let serving = serve(&[]);
    let advance = serving.control("POST /worlds/default/clock/advance");
    let message = "seconds: invalid type: floating point `1.8446744073709552e+19`, expected a whole number from 0 to 18446744073709551615";
    let body = r#"{"seconds": 18446744073709551616}"#;
    advance.body(body).assert_rejected(400, "bad_body", message);
}

#[test]
fn responds_to_head_like_get_without_a_body() {
    let serving = serve(&[]);
    let whole = serving.control("GET /worlds/default/keys").send();
    let head = serving.control("HEAD /worlds/default/keys").send();
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let length = whole.body.len().to_string();
    assert_eq!(head.header("content-length"), Some(&*length));
    assert_eq!(serving.control("HEAD /worlds").send().status, 200);
    let rejected = serving.control("HEAD /worlds/default/requests/wait").send();
    assert_eq!(rejected.status, 405);
    assert_eq!(rejected.header("allow"), Some("POST"));
}

#[test]
fn urls_use_the_host_of_the_request() {
    let serving = serve(&[]);
    let made = serving.order(201, "POST /worlds", json!({}));
    let url = serving.url().to_owned();
    assert_eq!(made["url"], format!("{url}/worlds/w1"));
    for _ in 0..10 {
        serving.order(201, "POST /worlds", json!({}));
    }
    let worlds = serving.order(200, "GET /worlds", NOTHING);
    let worlds = worlds.as_array().unwrap();
    let ids: Vec<_> = worlds.iter().map(|one| &one["id"]).collect();
    assert_eq!(ids.len(), 12);
    assert_eq!(
        [ids[0], ids[1], ids[2], ids[11]],
        ["default", "w1", "w2", "w11"]
    );
    assert_eq!(worlds[2]["url"], format!("{url}/worlds/w2"));
    let path = worlds[0]["url"].as_str().unwrap().replace(&url, "");
    let of_default = request_exactly(serving.address(), &format!("GET {path}/api/v1/badges"));
    assert_eq!(of_default.send().status, 200);
    let health = |host: &str| {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(serving.address()).unwrap();
        let head = format!("GET /_mock/v1/health HTTP/1.0\r\n{host}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<Value>(body).unwrap()["url"].clone()
    };
    assert_eq!(
        health("Host: mock.localhost:9000\r\n"),
        "http://mock.localhost:9000"
    );
    assert_eq!(health(""), *url);
}

#[cfg(unix)]
#[test]
fn does_not_record_encoded_keys() {
    let serving = serve(&["--log"]);
    let key = serving.key("all").to_owned();
    let encoded = key.replace('_', "%5F");
    let request = serving.request(&format!("GET /nothing/{encoded}?key={encoded}"));
    request.header("X-Trace", &encoded).send();
    let secret = "s3cret/with+more==";
    let request = serving.request("GET /badges?key=s3cret%2Fwith%2bmore%3D%3D");
    request.key(secret).send();
    let digits = key.rsplit('_').next().unwrap();
    for path in ["/requests", "/violations"] {
        let response = serving.read(path).to_string();
        assert!(!response.contains(digits), "{response}");
        assert!(!response.contains("s3cret"), "{response}");
    }
    let (_, stderr) = serving.stop(rustix::process::Signal::TERM);
    let log: String = stderr.lines().skip(2).collect();
    assert!(!log.contains(digits), "{log}");
}
