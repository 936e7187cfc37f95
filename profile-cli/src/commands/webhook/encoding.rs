//! `--encoding`: the encoding of the digest in a signature.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use webhook_verify::DigestEncoding;

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that create or verify signatures.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Encoding {
    /// Encoding of the digest after `sha256=`: hex, or base64 with padding
    #[arg(long = "encoding", default_value = "hex", hide_possible_values = true)]
    #[arg(value_name = "ENCODING", value_parser = parser())]
    pub(super) digest: DigestEncoding,
}

fn parser() -> impl TypedValueParser<Value = DigestEncoding> {
    PossibleValuesParser::new(["hex", "base64"]).map(|name| match name.as_str() {
        "base64" => DigestEncoding::Base64,
        _ => DigestEncoding::Hex,
    })
}
