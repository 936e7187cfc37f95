//! Parsing of requests to the control API, and the URLs in its responses.

use serde_json::{Value, json};

use crate::request::request_exactly;
use crate::serving::serve;

const NOTHING: Value = Value::Null;

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
