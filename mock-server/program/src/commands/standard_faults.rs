//! The standard faults of `mock-server matrix --faults`.

use mock_server::{Fault, FaultRule, WireFault};

/// Returns the faults with their names. Each applies to the first request in a world.
pub(super) fn standard_faults() -> [(&'static str, FaultRule); 10] {
    let before = |fault| FaultRule::new(fault).times(1);
    let after = |fault| before(fault).after_write();
    let html = Fault::WrongContentType {
        content_type: "text/html".to_owned(),
    };
    let slow = WireFault::Dribble {
        bytes: 16,
        milliseconds: 10,
    };
    [
        ("503_once", before(Fault::status(503))),
        ("429_retry_after_1", before(Fault::rate_limited("1"))),
        (
            "reset_before_write",
            before(Fault::Wire(WireFault::Reset { after: None })),
        ),
        (
            "reset_after_write",
            after(Fault::Wire(WireFault::Reset { after: None })),
        ),
        ("cut_body", after(Fault::Wire(WireFault::Cut { after: 10 }))),
        ("slow_body", after(Fault::Wire(slow))),
        ("wrong_content_type", after(html)),
        ("empty_body", after(Fault::EmptyBody)),
        ("malformed_json", after(Fault::MalformedJson)),
        ("delay_2_s", after(Fault::delay(2_000))),
    ]
}
