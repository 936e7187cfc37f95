//! Advice about problems of TLS.

#[cfg(feature = "__rustls")]
use std::env;
use std::error::Error as StdError;

#[cfg(feature = "__rustls")]
use crate::error::find_cause;
use crate::error::root_cause;

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
pub(super) fn rustls_advice(error: &rustls::Error, peer: &str) -> Option<String> {
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
#[cfg(feature = "__rustls")]
fn root_variables() -> String {
    let variables = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter();
    let set = variables.filter_map(|name| Some((name, env::var_os(name)?)));
    set.map(|(name, path)| format!("; check {name}, which is {path:?}"))
        .collect()
}

#[cfg(not(feature = "__rustls"))]
fn root_variables() -> String {
    String::new()
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
