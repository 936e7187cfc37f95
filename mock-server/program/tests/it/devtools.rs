//! Controls a page in the browser through the Chrome DevTools Protocol, with real mouse and keyboard
//! events.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::child;

/// Maximum time for a response, which includes the start of the browser.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page in a browser of its own.
pub(crate) struct Page {
    browser: Browser,
    requests: ChildStdin,
    messages: Receiver<Value>,
    session: Value,
    last_id: u64,
    errors: Vec<Value>,
}

impl Page {
    /// Opens a page and waits until it is loaded.
    pub(crate) fn open(chromium: &Path, url: &str) -> Self {
        // With `--remote-debugging-pipe`, the browser reads from descriptor 3 and writes to 4.
        let mut command = child::command("sh");
        command
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#])
            .arg(chromium)
            .arg("--remote-debugging-pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut browser = Browser::start(command, "about:blank");
        let requests = browser.process.stdin.take().unwrap();
        let stdout = browser.process.stdout.take().unwrap();
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(stdout).split(0).map_while(Result::ok) {
                // The test may have ended.
                let _ = sender.send(serde_json::from_slice(&message).unwrap());
            }
        });
        let mut page = Self {
            browser,
            requests,
            messages,
            session: Value::Null,
            last_id: 0,
            errors: Vec::new(),
        };
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        page.session = page.call("Target.attachToTarget", attach)["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.call("Page.navigate", json!({"url": url}));
        page.wait_until("location.href !== 'about:blank' && document.readyState === 'complete'");
        page
    }

    /// Returns the value of an expression or of its promise.
    #[track_caller]
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let evaluate =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let found = self.call("Runtime.evaluate", evaluate);
        assert_eq!(found["exceptionDetails"], Value::Null, "{expression}");
        found["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, condition: &str) {
        let attempts = format!(
            "new Promise(done => {{
                const end = performance.now() + 20000;
                const check = () => {{
                    if ({condition}) done(true);
                    else if (performance.now() > end) done(false);
                    else setTimeout(check, 20);
                }};
                check();
            }})"
        );
        if self.evaluate(&attempts) != true {
            let text = self.evaluate("document.body.innerText");
            panic!("not true in time: {condition}; the page shows {text}");
        }
    }

    /// Clicks in the middle of an element with the mouse.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.evaluate(&format!(
            "(() => {{
                const element = document.querySelector({selector:?});
                element.scrollIntoView({{block: 'center'}});
                const {{x, y, width, height}} = element.getBoundingClientRect();
                return {{x: x + width / 2, y: y + height / 2}};
            }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let (x, y) = (&place["x"], &place["y"]);
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key with this name and code.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        let text = match key {
            "Enter" => "\r",
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Presses the tab key until the element with this ID has the focus.
    #[track_caller]
    pub(crate) fn tab_to(&mut self, id: &str) {
        for _ in 0..50 {
            if self.evaluate("document.activeElement.id") == id {
                return;
            }
            self.press("Tab", 9);
        }
        panic!("the tab key does not reach {id}");
    }

    /// Types into the element that has the focus.
    pub(crate) fn insert(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    pub(crate) fn set_width(&mut self, width: u32) {
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Returns the errors on the console so far, which include violations of the content security
    /// policy and failed requests.
    pub(crate) fn errors(&mut self) -> &[Value] {
        // The events before this response have been read after it.
        self.evaluate("0");
        &self.errors
    }

    /// Calls a method of the protocol, and returns its result.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut call = json!({"id": self.last_id, "method": method, "params": parameters});
        if !self.session.is_null() {
            call["sessionId"] = self.session.clone();
        }
        write!(self.requests, "{call}\0").unwrap();
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let mut message = message.unwrap_or_else(|error| {
                let state = self.browser.process.try_wait();
                panic!("no response to {method}: {error}; the browser: {state:?}")
            });
            if message["id"] == self.last_id {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
            if is_error(&message) {
                self.errors.push(message);
            }
        }
    }
}

fn is_error(message: &Value) -> bool {
    let parameters = &message["params"];
    match message["method"].as_str() {
        Some("Runtime.exceptionThrown") => true,
        Some("Runtime.consoleAPICalled") => parameters["type"] == "error",
        Some("Log.entryAdded") => parameters["entry"]["level"] == "error",
        _ => false,
    }
}
