//! Deliveries that a receiver must accept.

use super::{EVENT, Vector, delivery, genuine, signature};
use crate::{BODY, SECRET, SIGNATURE};

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = bodies();
    vectors.extend(secrets());
    vectors.extend(headers());
    vectors
}

fn bodies() -> Vec<Vector> {
    let every_byte: Vec<u8> = (0..=255).collect();
    let mut vectors = vec![
        delivery("example of GitHub's documentation", SIGNATURE, BODY),
        genuine("JSON payload", r#"{"type":"post.liked"}"#),
        genuine("JSON that changes when it is parsed and serialized", EVENT),
        genuine("indented JSON", "{\n  \"type\": \"post.liked\"\n}"),
        genuine("JSON with an invalid UTF-8 string", b"{\"a\":\"\xff\"}"),
        genuine("JSON after a byte order mark", "\u{feff}{}"),
        genuine("text that is not JSON", "type=post.liked&by=gr%C3%A4ce"),
        genuine("text outside ASCII", "Grüße, 世界 🎉"),
        genuine("empty body", ""),
        genuine("one NUL byte", b"\0"),
        genuine("every byte", every_byte),
        genuine("newline at the end", "{}\n"),
        genuine("CRLF line breaks", "{\r\n}\r\n"),
        genuine("16 KiB", vec![b'x'; 16384]),
    ];
    // SHA-256 pads blocks of 64 bytes.
    for length in [55, 56, 63, 64, 65] {
        vectors.push(genuine(&format!("{length} bytes"), vec![b'x'; length]));
    }
    vectors
}

fn secrets() -> Vec<Vector> {
    let mut vectors = vec![
        genuine("secret of one byte", "{}").secret("s").signed(),
        genuine("secret outside ASCII", "{}")
            .secret("Schlüssel")
            .signed(),
        genuine("binary secret", "{}")
            .secret(b"\x00\xff\x80\x0a\xc3")
            .signed(),
        delivery(
            "case 2 of RFC 4231",
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "what do ya want for nothing?",
        )
        .secret("Jefe"),
        delivery(
            "case 6 of RFC 4231, a secret of 131 bytes",
            "sha256=60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "Test Using Larger Than Block-Size Key - Hash Key First",
        )
        .secret([0xaa; 131]),
    ];
    // HMAC hashes secrets of more than 64 bytes.
    for length in [64, 65] {
        let name = format!("secret of {length} bytes");
        vectors.push(genuine(&name, "{}").secret(vec![b's'; length]).signed());
    }
    vectors
}

fn headers() -> Vec<Vector> {
    let of_event = signature(SECRET, EVENT);
    let digest = of_event.strip_prefix("sha256=").unwrap();
    let upper_case = format!("sha256={}", digest.to_uppercase());
    let half = digest.len() / 2;
    let mixed_case = format!(
        "sha256={}{}",
        digest[..half].to_uppercase(),
        &digest[half..]
    );
    vec![
        delivery("digest in upper case", &upper_case, EVENT),
        delivery("digest in mixed case", &mixed_case, EVENT),
        genuine("header names in lower case", EVENT).headers(&[
            ("x-service-event", "post.liked"),
            ("x-service-signature", &of_event),
        ]),
        genuine("header names in upper case", EVENT).headers(&[("X-SERVICE-SIGNATURE", &of_event)]),
        genuine("unknown event kind", EVENT).headers(&[
            ("X-Service-Event", "post.shared"),
            ("X-Service-Signature", &of_event),
        ]),
        genuine("no event kind", EVENT).headers(&[("X-Service-Signature", &of_event)]),
        genuine("other signatures in other headers", EVENT).headers(&[
            ("X-Hub-Signature-256", "sha256=00"),
            ("X-Service-Signature", &of_event),
            ("X-Service-Signature-Old", "sha256=00"),
        ]),
    ]
}
