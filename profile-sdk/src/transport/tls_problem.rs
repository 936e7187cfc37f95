//! Problems of TLS as a type.

use std::error::Error as StdError;
use std::fmt;

#[cfg(feature = "__rustls")]
use crate::error::find_cause;
use crate::error::root_cause;

/// A problem of TLS, such as an invalid certificate.
///
/// `Display` describes it without naming the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsProblem {
    /// The peer does not use TLS on this port.
    NoTls,
    /// No trusted authority issued the certificate.
    UnknownIssuer,
    /// The certificate is that of an authority, and cannot be that of a server, too.
    AuthorityAsServer,
    /// The peer failed. Unlike after the other problems, another attempt may succeed.
    PeerFailed,
    /// Another problem, in words.
    Other(String),
}

impl TlsProblem {
    /// Returns the problem of TLS among the causes of an error, if there is one.
    #[must_use]
    pub fn find(error: &(dyn StdError + 'static)) -> Option<Self> {
        #[cfg(feature = "__rustls")]
        if let Some(error) = find_cause(error) {
            return Some(Self::of_rustls(error));
        }
        // The type of these errors is that of the platform; the texts are those of OpenSSL.
        let cause = root_cause(error);
        let contains = |text| cfg!(feature = "native-tls") && cause.contains(text);
        if contains("wrong version number") || contains("packet length too long") {
            Some(Self::NoTls)
        } else {
            contains("certificate verify failed").then_some(Self::UnknownIssuer)
        }
    }

    /// Returns what to do if a peer, such as `service`, `proxy` or `receiver`, has this problem. It continues
    /// the description of the problem: it begins with a semicolon, or is empty.
    #[must_use]
    pub fn advice(&self, peer: &str) -> String {
        match self {
            Self::NoTls if peer == "service" => {
                "; the service does not support HTTPS on this port; check the base URL".to_owned()
            }
            Self::NoTls => {
                format!(
                    "; the {peer} does not support HTTPS on this port; check the URL of the {peer}"
                )
            }
            Self::UnknownIssuer => format!(
                "{}; if a private authority issued the {peer}'s certificate, trust the root certificate of \
                 that authority",
                unusable_roots()
            ),
            Self::AuthorityAsServer => format!(
                "; the {peer} uses the certificate of an authority as its own; create one with the \
                 extension basicConstraints=critical,CA:FALSE"
            ),
            Self::PeerFailed | Self::Other(_) => String::new(),
        }
    }

    /// Not `From`, which would make a type of rustls part of the public API.
    #[cfg(feature = "__rustls")]
    pub(super) fn of_rustls(error: &rustls::Error) -> Self {
        use rustls::{AlertDescription, Error, InvalidMessage};
        match error {
            Error::InvalidMessage(InvalidMessage::InvalidContentType) => Self::NoTls,
            Error::AlertReceived(AlertDescription::InternalError) => Self::PeerFailed,
            Error::InvalidCertificate(error) => Self::of_certificate(error),
            // Such as "no certificates were loaded".
            Error::General(reason) => Self::Other(format!("{reason}{}", unusable_roots())),
            Error::Other(error) => Self::Other(error.to_string()),
            other => Self::Other(words(other)),
        }
    }

    #[cfg(feature = "__rustls")]
    fn of_certificate(error: &rustls::CertificateError) -> Self {
        use std::time::{Duration, UNIX_EPOCH};

        use rustls::{CertificateError, pki_types::UnixTime};

        let time = |time: &UnixTime| UNIX_EPOCH + Duration::from_secs(time.as_secs());
        let date = |it| httpdate::fmt_http_date(time(it));
        let problem = match error {
            CertificateError::UnknownIssuer => return Self::UnknownIssuer,
            CertificateError::ExpiredContext { time, not_after } => {
                format!("expired on {}; today is {}", date(not_after), date(time))
            }
            CertificateError::NotValidYetContext { time, not_before } => {
                let (from, today) = (date(not_before), date(time));
                format!("is valid from {from}; today is {today}")
            }
            CertificateError::NotValidForNameContext { presented, .. } => {
                // Such as `DnsName("host")`; names of other kinds are not those of hosts.
                let hosts = presented.iter().filter_map(|name| {
                    let host = name.strip_prefix("DnsName(");
                    host.or(name.strip_prefix("IpAddress("))?.strip_suffix(')')
                });
                match hosts.collect::<Vec<_>>().join(" and ").as_str() {
                    "" => "is valid for no host".to_owned(),
                    hosts => format!("is only valid for {hosts}"),
                }
            }
            // An error of webpki, which displays only the name of its variant, or of the platform.
            CertificateError::Other(error) => match error.to_string() {
                name if name == "CaUsedAsEndEntity" => return Self::AuthorityAsServer,
                name if name == format!("{:?}", error.0) => {
                    format!("is invalid: {}", words(&error.0))
                }
                text => format!("is invalid: {text}"),
            },
            other => format!("is invalid: {}", words(other)),
        };
        Self::Other(format!("the certificate {problem}"))
    }
}

impl fmt::Display for TlsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoTls => "the response is not TLS",
            Self::UnknownIssuer => "no trusted authority issued the certificate",
            Self::AuthorityAsServer => "the certificate is not that of a server",
            Self::PeerFailed => "the peer reported an internal error",
            Self::Other(problem) => problem,
        })
    }
}

/// Returns the names of variants in words, without the values in them: `InvalidMessage(MissingData("x"))` is
/// "invalid message: missing data". rustls has no other description of most problems.
#[cfg(feature = "__rustls")]
fn words(error: &impl fmt::Debug) -> String {
    let debug = format!("{error:?}");
    let end = debug.find(|c: char| !c.is_alphanumeric() && c != '(');
    let names = debug[..end.unwrap_or(debug.len())].trim_end_matches('(');
    let last = std::iter::once('(').chain(names.chars());
    let spaced = names.chars().zip(last).flat_map(|(c, last)| {
        let is_start = c.is_uppercase() && last.is_alphanumeric() && !last.is_uppercase();
        [is_start.then_some(' '), Some(c)]
    });
    let words = spaced.flatten().collect::<String>().to_lowercase();
    words.trim_end_matches(" context").replace('(', ": ")
}

/// Returns the environment variables that should replace the root certificates of the platform, but do not
/// lead to certificates, with their problems.
#[cfg(feature = "__rustls")]
fn unusable_roots() -> String {
    use std::{env, fs};

    use rustls::pki_types::{CertificateDer, pem::PemObject as _};

    let variables = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter();
    let described = variables.filter_map(|name| {
        let path = env::var_os(name)?;
        let found = match fs::read_dir(&path) {
            // An empty SSL_CERT_DIR counts as unset.
            Err(_) if path.is_empty() => Ok(name == "SSL_CERT_DIR"),
            Ok(mut files) => Ok(name == "SSL_CERT_DIR" && files.next().is_some()),
            Err(_) => {
                fs::read(&path).map(|pem| CertificateDer::pem_slice_iter(&pem).any(|it| it.is_ok()))
            }
        };
        let problem = match found {
            Ok(true) => return None,
            Ok(false) if path.is_empty() => "empty; unset it to use those of the system".to_owned(),
            Ok(false) => format!("{}, which has no valid certificate", path.display()),
            Err(error) => format!("{}, which cannot be read: {error}", path.display()),
        };
        Some(format!("; {name} is {problem}"))
    });
    described.collect()
}

#[cfg(not(feature = "__rustls"))]
fn unusable_roots() -> String {
    String::new()
}

#[cfg(all(test, feature = "__rustls"))]
mod tests {
    use std::sync::Arc;

    use rustls::pki_types::ServerName;
    use rustls::{
        AlertDescription, CertRevocationListError, CertificateError, ContentType, Error,
        HandshakeType, InconsistentKeys, InvalidMessage, OtherError, PeerIncompatible,
        PeerMisbehaved,
    };

    use super::TlsProblem;

    macro_rules! variants {
        ($function:ident $type:ident: $($name:ident)*) => {
            fn $function() -> Vec<Error> {
                [$($type::$name),*].map(Error::from).into()
            }
        };
    }

    variants! { revocation CertRevocationListError:
        BadSignature InvalidCrlNumber InvalidRevokedCertSerialNumber IssuerInvalidForCrl
        ParseError UnsupportedCrlVersion UnsupportedCriticalExtension UnsupportedDeltaCrl
        UnsupportedIndirectCrl UnsupportedRevocationReason
    }

    variants! { certificates CertificateError:
        BadEncoding Expired NotValidYet Revoked UnhandledCriticalExtension UnknownIssuer
        UnknownRevocationStatus ExpiredRevocationList BadSignature NotValidForName InvalidPurpose
        InvalidOcspResponse ApplicationVerificationFailure
    }

    variants! { keys InconsistentKeys:
        KeyMismatch Unknown
    }

    variants! { messages InvalidMessage:
        CertificatePayloadTooLarge HandshakePayloadTooLarge InvalidCcs InvalidContentType
        InvalidCertificateStatusType InvalidCertRequest InvalidDhParams InvalidEmptyPayload
        InvalidKeyUpdate InvalidServerName MessageTooLarge MessageTooShort MissingKeyExchange
        NoSignatureSchemes UnknownProtocolVersion UnsupportedCompression UnsupportedCurveType
        EmptyTicketValue IllegalEmptyValue PreSharedKeyIsNotFinalExtension
        UnknownHelloRetryRequestExtension UnknownCertificateExtension
    }

    variants! { incompatible PeerIncompatible:
        EcPointsExtensionRequired ExtendedMasterSecretExtensionRequired
        IncorrectCertificateTypeExtension KeyShareExtensionRequired NamedGroupsExtensionRequired
        NoCertificateRequestSignatureSchemesInCommon NoCipherSuitesInCommon
        NoEcPointFormatsInCommon NoKxGroupsInCommon NoSignatureSchemesInCommon
        NullCompressionRequired ServerDoesNotSupportTls12Or13
        ServerSentHelloRetryRequestWithUnknownExtension ServerTlsVersionIsDisabledByOurConfig
        SignatureAlgorithmsExtensionRequired SupportedVersionsExtensionRequired Tls12NotOffered
        Tls12NotOfferedOrEnabled Tls13RequiredForQuic UncompressedEcPointsRequired
        UnsolicitedCertificateTypeExtension
    }

    variants! { misbehaved PeerMisbehaved:
        AttemptedDowngradeToTls12WhenTls13IsSupported BadCertChainExtensions
        CipherSuiteDifferedOnRetry DisallowedEncryptedExtension DuplicateClientHelloExtensions
        DuplicateEncryptedExtensions DuplicateHelloRetryRequestExtensions
        DuplicateNewSessionTicketExtensions DuplicateServerHelloExtensions
        DuplicateServerNameTypes EarlyDataAttemptedInSecondClientHello
        EarlyDataExtensionWithoutResumption EarlyDataOfferedWithVariedCipherSuite
        EchAcceptanceVariedAfterRetry HandshakeHashVariedAfterRetry
        IllegalHelloRetryRequestWithEmptyCookie IllegalHelloRetryRequestWithNoChanges
        IllegalHelloRetryRequestWithOfferedGroup IllegalHelloRetryRequestWithUnofferedCipherSuite
        IllegalHelloRetryRequestWithUnofferedNamedGroup
        IllegalHelloRetryRequestWithUnsupportedVersion IllegalHelloRetryRequestWithWrongSessionId
        IllegalHelloRetryRequestWithInvalidEch IllegalMiddleboxChangeCipherSpec
        IllegalTlsInnerPlaintext IncorrectBinder InvalidCertCompression InvalidMaxEarlyDataSize
        InvalidKeyShare KeyEpochWithPendingFragment KeyUpdateReceivedInQuicConnection
        MessageInterleavedWithHandshakeMessage MissingBinderInPskExtension MissingKeyShare
        MissingPskExtensionInSecondClientHello MissingPskModesExtension
        MissingQuicTransportParameters OfferedDuplicateCertificateCompressions
        OfferedDuplicateKeyShares OfferedEarlyDataWithOldProtocolVersion
        OfferedEmptyApplicationProtocol OfferedIncorrectCompressions PskExtensionMustBeLast
        PskExtensionWithMismatchedIdsAndBinders RefusedToFollowHelloRetryRequest
        RejectedEarlyDataInterleavedWithHandshakeMessage ResumptionAttemptedWithVariedEms
        ResumptionOfferedWithVariedCipherSuite ResumptionOfferedWithVariedEms
        ResumptionOfferedWithIncompatibleCipherSuite SelectedDifferentCipherSuiteAfterRetry
        SelectedInvalidPsk SelectedTls12UsingTls13VersionExtension
        SelectedUnofferedApplicationProtocol SelectedUnofferedCertCompression
        SelectedUnofferedCipherSuite SelectedUnofferedCompression SelectedUnofferedKxGroup
        SelectedUnofferedPsk SelectedUnusableCipherSuiteForVersion
        ServerEchoedCompatibilitySessionId ServerHelloMustOfferUncompressedEcPoints
        ServerNameDifferedOnRetry ServerNameMustContainOneHostName SignedKxWithWrongAlgorithm
        SignedHandshakeWithUnadvertisedSigScheme TooManyEmptyFragments TooManyKeyUpdateRequests
        TooManyRenegotiationRequests TooManyWarningAlertsReceived TooMuchEarlyDataReceived
        UnexpectedCleartextExtension UnsolicitedCertExtension UnsolicitedEncryptedExtension
        UnsolicitedSctList UnsolicitedServerHelloExtension WrongGroupForKeyShare
        UnsolicitedEchExtension
    }

    variants! { others Error:
        NoCertificatesPresented UnsupportedNameType DecryptError EncryptError
        FailedToGetCurrentTime FailedToGetRandomBytes HandshakeNotComplete PeerSentOversizedRecord
        NoApplicationProtocol BadMaxFragmentSize
    }

    /// Returns all problems of rustls 0.23. Its enums are not exhaustive.
    fn errors() -> impl Iterator<Item = Error> {
        let codes = (0..=255).map(|code| Error::AlertReceived(AlertDescription::from(code)));
        let hello = HandshakeType::ClientHello;
        let with_values = [
            Error::InappropriateMessage {
                expect_types: vec![ContentType::Handshake],
                got_type: ContentType::ApplicationData,
            },
            Error::InappropriateHandshakeMessage {
                expect_types: vec![hello],
                got_type: hello,
            },
            InvalidMessage::MissingData("SessionId").into(),
            InvalidMessage::TrailingData("SessionId").into(),
            InvalidMessage::UnexpectedMessage("SessionId").into(),
            InvalidMessage::IllegalEmptyList("SessionIds").into(),
            InvalidMessage::DuplicateExtension(1).into(),
            Error::General("no certificates were loaded".to_owned()),
            Error::Other(OtherError(Arc::from(Box::from("the platform failed")))),
        ];
        let groups = [
            revocation,
            certificates,
            keys,
            messages,
            incompatible,
            misbehaved,
            others,
        ];
        let variants = groups.into_iter().flat_map(|group| group());
        codes.chain(with_values).chain(variants)
    }

    #[test]
    fn no_problem_has_a_name_of_rust() {
        for error in errors() {
            let text = TlsProblem::of_rustls(&error).to_string();
            let characters = text.chars().zip(text.chars().skip(1));
            let mut names = characters.filter(|(c, next)| c.is_lowercase() && next.is_uppercase());
            let is_plain = !text.is_empty() && !text.contains(['(', '{', '[', '"']);
            assert!(is_plain && names.next().is_none(), "{error:?}: {text}");
        }
    }

    /// Errors of certificates with values, and those that decide.
    #[test]
    fn names_in_a_certificate_decide_nothing() {
        use CertificateError as Certificate;
        let named = |names: &[&str]| Certificate::NotValidForNameContext {
            expected: ServerName::try_from("localhost").unwrap(),
            presented: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let other = |text: &str| Certificate::Other(OtherError(Arc::from(Box::from(text))));
        for (error, text) in [
            (named(&[]), "the certificate is valid for no host"),
            (
                named(&[
                    "DnsName(\"UnknownIssuer.example\")",
                    "DirectoryName",
                    "IpAddress(::1)",
                ]),
                "the certificate is only valid for \"UnknownIssuer.example\" and ::1",
            ),
            (
                other("it is bad, not CaUsedAsEndEntity"),
                "the certificate is invalid: it is bad, not CaUsedAsEndEntity",
            ),
            (
                Certificate::UnsupportedSignatureAlgorithmForPublicKeyContext {
                    signature_algorithm_id: vec![1],
                    public_key_algorithm_id: vec![2],
                },
                "the certificate is invalid: unsupported signature algorithm for public key",
            ),
        ] {
            let problem = TlsProblem::of_rustls(&error.into());
            assert_eq!(problem, TlsProblem::Other(text.to_owned()));
            assert_eq!(problem.advice("receiver"), "");
        }
    }
}
