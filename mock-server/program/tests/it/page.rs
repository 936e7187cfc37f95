//! The page at `/` of the program, in a real browser.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::chromium;
use crate::devtools::Page;
use crate::request::request_exactly;
use crate::serving::{Serving, file, serve};

/// Opens the page and waits until it shows the requests of the journal.
fn open(chromium: &Path, serving: &Serving) -> Page {
    let mut page = Page::open(chromium, serving.url());
    page.wait_until("document.querySelector('#connection').textContent === 'live'");
    page
}

#[test]
fn serves_the_page_with_a_strict_policy() {
    let serving = serve(&[]);
    for path in ["/", "/_mock/", "/_mock"] {
        let answer = request_exactly(serving.address(), &format!("GET {path}")).send();
        assert_eq!(answer.status, 200);
        let content_type = answer.header("content-type");
        assert_eq!(content_type, Some("text/html; charset=utf-8"));
        let policy = answer.header("content-security-policy").unwrap();
        for directive in [
            "default-src 'none'",
            "script-src 'sha256-",
            "style-src 'sha256-",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(directive), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let foreign = request_exactly(serving.address(), &format!("GET {path}"));
        let foreign = foreign.header("Sec-Fetch-Site", "cross-site").send();
        assert_eq!(foreign.status, 403);
    }
    let posted = request_exactly(serving.address(), "POST /").send();
    assert_eq!(posted.status, 405);
    assert_eq!(posted.header("allow"), Some("GET, HEAD"));
    let requests = serving.read("/requests");
    assert_eq!(requests, json!([]), "the page is not part of the service");
}

#[test]
fn shows_requests_of_other_clients() {
    let chromium = or_skip!(chromium());
    let serving = serve(&[]);
    let mut page = open(&chromium, &serving);
    let bio = "<img src=x onerror=\"document.title = 'attacked'\">";
    let edit = || serving.request("PATCH /me/profile");
    edit().json(json!({"bio": bio})).data(200);
    edit().json(json!({"nick": "x"})).send();
    page.wait_until("document.querySelectorAll('#request-list details').length === 2");
    let newest = "document.querySelector('#request-list summary').innerText";
    page.wait_until(&format!("{newest}.includes('PATCH /api/v1/me/profile')"));
    page.wait_until(&format!("{newest}.includes('422')"));
    page.wait_until(&format!("{newest}.includes('1 violation')"));

    // The bio is shown as text: in the state, in the request and in the response.
    page.click("#request-list details:last-child summary");
    for section in ["state", "requests"] {
        let text = format!("document.querySelector('#{section}').innerText");
        page.wait_until(&format!("{text}.includes('<img src=x onerror=')"));
    }
    let images = "document.querySelectorAll('img').length + document.title";
    assert_eq!(page.evaluate(images), "0mock-server");
    let key = serving.key("all");
    serving.request(&format!("GET /me?key={key}")).data(200);
    page.wait_until("document.querySelector('#violations').innerText.includes('Advice: 1 × Send')");
    let shown = page.evaluate("document.documentElement.outerHTML");
    assert!(!shown.as_str().unwrap().contains(key));
    page.wait_until("document.querySelector('#violations').innerText.includes('nick')");

    serving.order(204, "POST /worlds/default/reset", Value::Null);
    page.wait_until("document.querySelectorAll('#request-list details').length === 0");
    let delay = json!({"fault": {"delay": {"milliseconds": 1000}}});
    serving.order(201, "POST /worlds/default/faults", delay);
    serving.request("GET /me").data(200);
    page.wait_until("document.querySelector('#request-list')?.innerText.includes('200')");
    assert_eq!(page.errors(), [] as [Value; 0]);
}

#[test]
fn a_fault_added_with_the_mouse_fails_a_request_of_another_client() {
    let chromium = or_skip!(chromium());
    let serving = serve(&[]);
    let mut page = open(&chromium, &serving);
    page.click("#fault-form button");
    page.wait_until("document.querySelector('#message').textContent === 'The fault was added.'");
    assert_eq!(serving.request("GET /me").send().status, 503);
    page.wait_until("document.querySelector('#request-list').innerText.includes('fault: status')");
    page.wait_until("document.querySelector('#fault-list').innerText.includes('applied 1')");

    page.click("#fault-list button");
    page.wait_until("document.querySelector('#fault-list').innerText === 'No faults.'");
    serving.request("GET /me").data(200);
    assert_eq!(page.errors(), [] as [Value; 0]);
}

#[test]
fn every_fault_of_the_list_can_be_added() {
    let chromium = or_skip!(chromium());
    let serving = serve(&[]);
    let mut page = open(&chromium, &serving);
    let kinds =
        page.evaluate("[...document.querySelector('#fault-kind').options].map(one => one.value)");
    for kind in kinds.as_array().unwrap() {
        page.evaluate(&format!(
            "document.querySelector('#fault-kind').value = {kind}"
        ));
        page.click("#fault-form button");
        let list = "document.querySelector('#fault-list').innerText";
        page.wait_until(&format!("{list}.includes({kind})"));
    }
    assert_eq!(page.errors(), [] as [Value; 0]);
}

#[test]
fn works_with_the_keyboard_alone() {
    let chromium = or_skip!(chromium());
    let serving = serve(&[]);
    let mut page = open(&chromium, &serving);
    let message = "document.querySelector('#message').textContent";
    for (field, text, expected) in [
        ("secret", "whsec_test", "The receiver was set."),
        ("event-data", "", "delivery_6: 200"),
        ("seconds", "3600", "The clock was advanced."),
    ] {
        page.tab_to(field);
        page.insert(text);
        page.press("Enter", 13);
        page.wait_until(&format!("{message} === '{expected}'"));
    }
    page.tab_to("value");
    page.press("ArrowDown", 40);
    page.wait_until("document.querySelector('#value').value === '\"integer\"'");
    page.press("Tab", 9);
    page.press("Enter", 13);
    page.wait_until(&format!("{message} === 'The setting was changed.'"));
    page.wait_until("document.querySelector('#differences').innerText.includes('api_visible')");
    assert_eq!(serving.request("GET /me").data(200)["api_visible"], 1);
    page.tab_to("reset");
    page.press("Enter", 13);
    page.wait_until(&format!("{message} === 'The world was reset.'"));
    assert_eq!(serving.request("GET /me").data(200)["api_visible"], true);
    page.wait_until("document.querySelector('#value').value === '\"boolean\"'");
    assert_eq!(page.errors(), [] as [Value; 0]);
}

#[test]
fn asks_for_the_control_token() {
    let chromium = or_skip!(chromium());
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "token", "secret-token");
    let serving = serve(&["--control-token-file", &path]);
    let mut page = Page::open(&chromium, serving.url());
    for token in ["wrong", "secret-token"] {
        // A hidden field keeps the focus until the next frame.
        let asks = "!document.querySelector('#token-form').hidden";
        page.wait_until(&format!("{asks} && document.activeElement.id === 'token'"));
        page.insert(token);
        page.press("Enter", 13);
    }
    page.wait_until("document.querySelector('#connection').textContent === 'live'");
    let stored = "document.cookie + localStorage.length + sessionStorage.length";
    assert_eq!(page.evaluate(stored), "00");
}

#[test]
fn is_not_wider_than_400_pixels() {
    let chromium = or_skip!(chromium());
    let serving = serve(&[]);
    let long = "x".repeat(400);
    let request = serving.request(&format!("GET /{long}"));
    request.header("X-Long", &long).send();
    let edit = serving.request("PATCH /me/profile");
    edit.json(json!({"bio": long, "nick": long})).send();
    let mut page = open(&chromium, &serving);
    page.set_width(400);
    page.wait_until("document.querySelectorAll('#request-list details').length === 2");
    page.click("#request-list details:last-child summary");
    page.wait_until("document.querySelector('#request-list pre') !== null");
    assert_eq!(page.evaluate("innerWidth"), 400);
    let [all, visible] = ["scrollWidth", "clientWidth"]
        .map(|width| page.evaluate(&format!("document.documentElement.{width}")));
    assert_eq!(all, visible, "the page scrolls horizontally");
    assert_eq!(page.errors(), [] as [Value; 0]);
}
