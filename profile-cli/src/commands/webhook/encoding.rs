//! `--encoding`: the encoding of the digest in a signature.

use clap::{Args, ValueEnum};
use webhook_verify::DigestEncoding;

// Not a doc comment, which clap would print as the description of each command.
// The option of all commands that create or verify signatures.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Encoding {
    /// Encoding of the digest after `sha256=`: hex, or base64 with padding
    #[arg(long, value_enum, default_value = "hex", hide_possible_values = true)]
    encoding: EncodingName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EncodingName {
    /// 64 hexadecimal digits
    Hex,
    /// 44 characters, padding included
    Base64,
}

impl Encoding {
    pub(super) fn digest(self) -> DigestEncoding {
        match self.encoding {
            EncodingName::Hex => DigestEncoding::Hex,
            EncodingName::Base64 => DigestEncoding::Base64,
        }
    }
}
