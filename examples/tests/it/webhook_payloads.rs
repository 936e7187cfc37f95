//! Payloads that most JSON parsers reject: the verifier reads them as the SDK reads responses.

use profile_sdk::internal::readable_json;
use serde_json::Value;
use webhook_verify::{EventKind, Headers, KindError, Secret, Verifier, sign};

#[test]
fn the_verifier_reads_halves_of_emoji_as_the_sdk_does() {
    for text in [
        &br"\ud83d"[..],
        br"\uDE00 \uD83D",
        br"\ud83d\ud83d\ude00",
        br"\ude00\ud83d\ude00\ud83d",
        br"\ud83d\u0041\n",
        br"\\ud83d \\\ud83d",
        br"\ud83d\\ude00",
        br"\ud83d\ude00 \u00e9",
        br"\ud83d \x",
        br"\ud83d \",
        b"a\xf0\x9f \xed\xa0\xbd",
        "\u{e9} \u{1f600}".as_bytes(),
    ] {
        for mark in [&b""[..], b"\xef\xbb\xbf"] {
            let parts = [mark, br#"{"a":""#, text, br#"","type":"post.liked"}"#];
            let body = parts.concat();
            let secret = Secret::new("s3cret").unwrap();
            let signature = sign(&secret, &body);
            let headers = [
                ("X-Service-Signature", signature.as_str()),
                ("X-Service-Event", "follow.created"),
            ];
            let verifier = Verifier::new(secret);
            let delivery = verifier.verify(Headers::new(headers), &body).unwrap();
            let read = delivery.json::<Value>().ok();
            let by_sdk = serde_json::from_str::<Value>(&readable_json(&body)).ok();
            let shown = String::from_utf8_lossy(&body);
            assert_eq!(read, by_sdk, "{shown}");
            // A forged kind is found wherever the payload is read.
            let payload = EventKind::PostLiked;
            let expected = match read {
                Some(_) => KindError::Mismatch { payload },
                None => KindError::InvalidField,
            };
            assert_eq!(delivery.confirm_kind_in("type"), Err(expected), "{shown}");
        }
    }
}
