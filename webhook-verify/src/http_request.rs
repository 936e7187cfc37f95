//! Headers and requests of the crate `http`.

use http::{HeaderMap, Request};

use crate::{Headers, Verified, Verifier, VerifyError};

impl<'h> From<&'h HeaderMap> for Headers<'h> {
    fn from(map: &'h HeaderMap) -> Self {
        Self::new(map)
    }
}

impl Verifier {
    /// Verifies a request whose whole body is in memory, and puts the witness
    /// in the body's place.
    ///
    /// To keep the request, call
    /// `verifier.verify(request.headers().into(), request.body())`.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify`].
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Secret, SignedRequest, Verifier};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let request = SignedRequest::post("/hooks", "Hello, World!").sign(&secret)?;
    ///
    /// let request = Verifier::new(secret).verify_request(request)?;
    /// assert_eq!(request.body().body(), b"Hello, World!");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify_request<B: AsRef<[u8]>>(
        &self,
        request: Request<B>,
    ) -> Result<Request<Verified<B>>, VerifyError> {
        let (parts, body) = request.into_parts();
        let verified = self.verify(Headers::from(&parts.headers), body)?;
        Ok(Request::from_parts(parts, verified))
    }
}
