//! TLS, by cargo feature, and advice about its problems.

use std::env;
use std::error::Error as StdError;

#[cfg(feature = "__rustls")]
use crate::error::find_cause;
use crate::error::{Error, root_cause};
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
use crate::json::without_mark;

/// An implementation of TLS and the root certificates that it trusts.
///
/// Each variant requires a cargo feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tls {
    /// rustls with the root certificates of the platform; feature `rustls` (on by default),
    /// `rustls-ring` or `rustls-no-provider`.
    #[cfg(feature = "__rustls")]
    #[cfg_attr(
        docsrs,
        doc(cfg(any(
            feature = "rustls",
            feature = "rustls-ring",
            feature = "rustls-no-provider"
        )))
    )]
    Rustls,
    /// rustls with the root certificates of Mozilla, compiled in; feature `webpki-roots`.
    #[cfg(feature = "webpki-roots")]
    WebpkiRoots,
    /// The TLS implementation and root certificates of the platform; feature `native-tls`.
    #[cfg(feature = "native-tls")]
    NativeTls,
}

impl Tls {
    /// The first is the default.
    const ENABLED: &[Self] = &[
        #[cfg(feature = "__rustls")]
        Self::Rustls,
        #[cfg(feature = "native-tls")]
        Self::NativeTls,
    ];
}

/// Configures TLS. `https` is `None` if no connection uses HTTPS, otherwise the additional root
/// certificates in PEM.
///
/// Without HTTPS, root certificates are not loaded, because this is the slowest part of creating a
/// client.
pub(crate) fn prepare(
    http: reqwest::ClientBuilder,
    tls: Option<Tls>,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    match tls.or(Tls::ENABLED.first().copied()) {
        None if https.is_some() => Err(Error::invalid(
            "HTTPS is not available, because this program was built without TLS; \
             enable the feature rustls, rustls-ring or native-tls of profile-sdk",
        )),
        None => Ok(http),
        #[cfg(feature = "__rustls")]
        Some(Tls::Rustls) => {
            rustls_config::with_rustls(http, rustls_config::platform_verifier, https)
        }
        #[cfg(feature = "webpki-roots")]
        Some(Tls::WebpkiRoots) => {
            rustls_config::with_rustls(http, rustls_config::webpki_verifier, https)
        }
        #[cfg(feature = "native-tls")]
        Some(Tls::NativeTls) => with_native_tls(http, https),
    }
}

#[cfg(feature = "native-tls")]
fn with_native_tls(
    http: reqwest::ClientBuilder,
    https: Option<&[Vec<u8>]>,
) -> Result<reqwest::ClientBuilder, Error> {
    let http = http.tls_backend_native();
    let Some(root_certificates) = https else {
        return Ok(http.tls_certs_only([]));
    };
    let certificates = certificates_in(root_certificates, reqwest::Certificate::from_pem_bundle)?;
    Ok(http.tls_certs_merge(certificates))
}

/// Returns the certificates in PEM texts. The error does not contain that of the parser, which may show
/// the text: it may be a private key.
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
fn certificates_in<C, E>(
    pems: &[Vec<u8>],
    parse: impl Fn(&[u8]) -> Result<Vec<C>, E>,
) -> Result<Vec<C>, Error> {
    let mut all = Vec::new();
    for pem in pems {
        // Without what editors add: a byte order mark, and spaces around lines.
        let lines = without_mark(pem).split(|byte| matches!(byte, b'\n' | b'\r'));
        let lines: Vec<_> = lines.map(<[u8]>::trim_ascii).collect();
        let certificates = parse(&lines.join(&b'\n')).unwrap_or_default();
        if certificates.is_empty() {
            let problem = match pem[..] {
                [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'-', ..] | [b'-', 0, ..] => {
                    "it is UTF-16; expected ASCII or UTF-8"
                }
                _ => {
                    "expected the lines -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----, \
                     and only base64 between them"
                }
            };
            let reason =
                format!("the value of root_certificate_pem is not a PEM certificate: {problem}");
            return Err(Error::invalid(reason));
        }
        all.extend(certificates);
    }
    Ok(all)
}

/// The configuration of rustls.
#[cfg(feature = "__rustls")]
mod rustls_config {
    use std::sync::{Arc, OnceLock};

    use rustls::client::danger::ServerCertVerifier;
    use rustls::crypto::CryptoProvider;
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::{self, PemObject as _};
    use rustls::{ClientConfig, RootCertStore};
    use rustls_platform_verifier::Verifier;

    use super::{certificates_in, rustls_advice};
    use crate::error::Error;

    type Certificates = Vec<CertificateDer<'static>>;
    type Provider = Arc<CryptoProvider>;
    type NewVerifier = Result<Arc<dyn ServerCertVerifier>, rustls::Error>;

    /// Returns a verifier that trusts the additional certificates, too.
    pub(super) type CreateVerifier = fn(Certificates, Provider) -> NewVerifier;

    /// The protocols that are offered with ALPN.
    const PROTOCOLS: &[&[u8]] = &[
        #[cfg(feature = "http2")]
        b"h2",
        b"http/1.1",
    ];

    pub(super) fn with_rustls(
        http: reqwest::ClientBuilder,
        create_verifier: CreateVerifier,
        https: Option<&[Vec<u8>]>,
    ) -> Result<reqwest::ClientBuilder, Error> {
        let failed = |error| {
            let advice = rustls_advice(&error, "service").map(|advice| format!("; {advice}"));
            let advice = advice.unwrap_or_default();
            Error::invalid(format!("could not set up TLS: {error}{advice}"))
        };
        let provider = crypto_provider()?;
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(failed)?;
        let builder = match https {
            Some(root_certificates) => {
                let parse = |pem: &[u8]| CertificateDer::pem_slice_iter(pem).collect();
                let certificates = certificates_in::<_, pem::Error>(root_certificates, parse)?;
                let verifier = create_verifier(certificates, provider).map_err(failed)?;
                // rustls calls every verifier dangerous that it does not create itself.
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(verifier)
            }
            None => builder.with_root_certificates(RootCertStore::empty()),
        };
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = PROTOCOLS.iter().map(|name| name.to_vec()).collect();
        Ok(http.tls_backend_preconfigured(config))
    }

    /// Returns aws-lc-rs if it is enabled, else ring if enabled, else the provider that the program
    /// installed.
    ///
    /// The provider of the process comes last: rustls does not install one by itself if a program
    /// depends on both aws-lc-rs and ring.
    fn crypto_provider() -> Result<Provider, Error> {
        #[cfg(feature = "rustls")]
        let provider = Some(Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
        #[cfg(all(feature = "rustls-ring", not(feature = "rustls")))]
        let provider = Some(Arc::new(rustls::crypto::ring::default_provider()));
        #[cfg(not(any(feature = "rustls", feature = "rustls-ring")))]
        let provider = CryptoProvider::get_default().cloned();
        provider.ok_or_else(|| {
            let reason = "no crypto provider is installed for rustls; call \
                          rustls::crypto::CryptoProvider::install_default before creating a \
                          client, or enable the feature rustls or rustls-ring of profile-sdk";
            Error::invalid(reason)
        })
    }

    /// Trusts the root certificates of the platform. They are loaded once per process: it takes
    /// 18 million instructions and 100 kB.
    pub(super) fn platform_verifier(certificates: Certificates, provider: Provider) -> NewVerifier {
        static VERIFIER: OnceLock<Arc<Verifier>> = OnceLock::new();
        if !certificates.is_empty() {
            #[cfg(target_os = "android")]
            let verifier: Result<Verifier, _> = Err(rustls::Error::General(
                "Android only trusts the root certificates in its settings; \
                 use Tls::WebpkiRoots to add others"
                    .to_owned(),
            ));
            #[cfg(not(target_os = "android"))]
            let verifier = Verifier::new_with_extra_roots(certificates, provider);
            return Ok(Arc::new(verifier?));
        }
        if let Some(verifier) = VERIFIER.get() {
            return Ok(verifier.clone());
        }
        let verifier = Arc::new(Verifier::new(provider)?);
        Ok(VERIFIER.get_or_init(|| verifier).clone())
    }

    /// Trusts the root certificates of Mozilla.
    #[cfg(feature = "webpki-roots")]
    pub(super) fn webpki_verifier(certificates: Certificates, provider: Provider) -> NewVerifier {
        let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
        let mut store = RootCertStore { roots };
        for certificate in certificates {
            store.add(certificate)?;
        }
        let verifier =
            rustls::client::WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider);
        Ok(verifier.build().expect("the store is not empty"))
    }
}

/// Returns what to do about a problem of TLS among the causes of an error, such as an unknown issuer of a
/// certificate. `peer` is the one that the client connects to, such as `service`, `proxy` or `receiver`.
///
/// Returns `None` if there is no such problem, or no advice about it.
#[must_use]
pub fn tls_advice(error: &(dyn StdError + 'static), peer: &str) -> Option<String> {
    #[cfg(feature = "__rustls")]
    if let Some(error) = find_cause(error) {
        return rustls_advice(error, peer);
    }
    // The type of these errors is that of the platform; the texts are those of OpenSSL.
    let cause = root_cause(error);
    let contains = |text| cfg!(feature = "native-tls") && cause.contains(text);
    if contains("wrong version number") || contains("packet length too long") {
        Some(no_tls(peer))
    } else {
        contains("certificate verify failed").then(|| unknown_issuer(peer))
    }
}

/// Returns `true` for a problem of TLS that another attempt would have, too: not for an internal error of the
/// peer.
pub(super) fn is_permanent(error: &(dyn StdError + 'static)) -> bool {
    #[cfg(feature = "__rustls")]
    if let Some(error) = find_cause::<rustls::Error>(error) {
        use rustls::{AlertDescription, Error};
        return *error != Error::AlertReceived(AlertDescription::InternalError);
    }
    tls_advice(error, "").is_some()
}

fn no_tls(peer: &str) -> String {
    format!("the {peer} does not support HTTPS on this port; check its URL")
}

fn unknown_issuer(peer: &str) -> String {
    format!(
        "if a private authority issued the {peer}'s certificate, trust the root certificate of that authority: \
         install it on this machine, or on Linux set SSL_CERT_FILE to its file{}",
        root_variables()
    )
}

/// Public types of rustls would be part of the public API.
#[cfg(feature = "__rustls")]
fn rustls_advice(error: &rustls::Error, peer: &str) -> Option<String> {
    use rustls::CertificateError::{
        BadSignature, Expired, ExpiredContext, NotValidForName, NotValidForNameContext,
        NotValidYet, NotValidYetContext, Other, UnknownIssuer,
    };
    use rustls::Error::{General, InvalidCertificate, InvalidMessage};
    use rustls::InvalidMessage::InvalidContentType;
    Some(match error {
        InvalidMessage(InvalidContentType) => no_tls(peer),
        // Of two authorities with the same name, another one signed the certificate.
        InvalidCertificate(UnknownIssuer | BadSignature) => unknown_issuer(peer),
        // A self-signed certificate, as `openssl req -x509` creates it.
        InvalidCertificate(Other(error)) if error.to_string() == "CaUsedAsEndEntity" => format!(
            "the {peer} uses the certificate of an authority as its own; create one with the extension \
             basicConstraints=critical,CA:FALSE"
        ),
        InvalidCertificate(
            Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. },
        ) => format!("renew the {peer}'s certificate, or set the clock of this machine"),
        InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            format!("the {peer}'s certificate is for another host; check its URL")
        }
        // Such as "No CA certificates were loaded from the system".
        General(_) => format!(
            "install root certificates, or set SSL_CERT_FILE to a file with them{}",
            root_variables()
        ),
        _ => return None,
    })
}

/// Names the environment variables that replace the root certificates of the platform, if they are set.
fn root_variables() -> String {
    let variables = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter();
    // Those of rustls.
    let read = variables.filter(|_| cfg!(feature = "__rustls"));
    let set = read.filter_map(|name| Some((name, env::var_os(name)?)));
    set.map(|(name, path)| format!("; check {name}, which is {path:?}"))
        .collect()
}

#[cfg(all(test, feature = "__rustls"))]
mod tests {
    use std::sync::Arc;

    use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, OtherError};

    use super::{is_permanent, rustls_advice};

    #[test]
    fn advice_names_the_peer() {
        let authority =
            CertificateError::Other(OtherError(Arc::from(Box::from("CaUsedAsEndEntity"))));
        for (error, start) in [
            (
                InvalidMessage::InvalidContentType.into(),
                "the proxy does not support HTTPS",
            ),
            (
                CertificateError::UnknownIssuer.into(),
                "if a private authority issued the proxy's",
            ),
            (
                CertificateError::BadSignature.into(),
                "if a private authority issued the proxy's",
            ),
            (
                authority.into(),
                "the proxy uses the certificate of an authority",
            ),
            (
                CertificateError::Expired.into(),
                "renew the proxy's certificate",
            ),
            (
                CertificateError::NotValidYet.into(),
                "renew the proxy's certificate",
            ),
            (
                CertificateError::NotValidForName.into(),
                "the proxy's certificate is for another host",
            ),
            (
                Error::General("No CA certificates".to_owned()),
                "install root certificates",
            ),
        ] {
            let advice = rustls_advice(&error, "proxy").unwrap_or_default();
            assert!(advice.starts_with(start), "{error}: {advice}");
            assert!(is_permanent(&error));
        }
        let internal = Error::AlertReceived(AlertDescription::InternalError);
        assert_eq!(rustls_advice(&internal, "proxy"), None);
        assert!(!is_permanent(&internal));
        assert!(is_permanent(&Error::DecryptError));
    }
}
