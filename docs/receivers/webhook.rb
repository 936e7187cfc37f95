require "openssl"

# `signature` is the header X-Service-Signature, and `body` is the raw request body.
def authentic?(secret, signature, body)
  return false if secret.to_s.empty? # Anyone can sign with an empty secret.

  # As bytes, because text that is not valid UTF-8 does not match but raises.
  digest = signature.to_s.b[/\Asha256=(\h{64})\z/, 1]
  return false unless digest

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, body)
  OpenSSL.fixed_length_secure_compare(expected, digest.downcase)
end

# Returns the secret in the environment. Raises if it is empty, or was not copied exactly.
def read_secret
  secret = ENV.fetch("PROFILE_WEBHOOK_SECRET", "").b
  raise "PROFILE_WEBHOOK_SECRET is not set" if secret.empty?
  if secret.match?(/\A(?:[ \t\r\n]|\xEF\xBB\xBF)|[ \t\r\n]\z/n)
    raise "PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark"
  end

  secret
end
