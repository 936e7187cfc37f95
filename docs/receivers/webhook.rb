require "openssl"

# `signature` is the header X-Service-Signature, and `body` is the raw request body.
def authentic?(secret, signature, body)
  # As bytes, because text that is not valid UTF-8 does not match but raises.
  digest = signature.to_s.b[/\Asha256=(\h{64})\z/, 1]
  return false unless digest

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, body)
  OpenSSL.fixed_length_secure_compare(expected, digest.downcase)
end
