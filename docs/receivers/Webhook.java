import java.nio.charset.StandardCharsets;
import java.security.*;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Webhook {
    /** Takes the header X-Service-Signature, or null, and the raw request body. */
    static boolean isAuthentic(byte[] secret, String signature, byte[] body) {
        if (secret == null || secret.length == 0) return false; // Anyone can sign with an empty secret.
        if (signature == null || !signature.matches("sha256=[0-9A-Fa-f]{64}")) return false;
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return MessageDigest.isEqual(mac.doFinal(body), HexFormat.of().parseHex(signature, 7, 71));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error); // Every Java platform has HmacSHA256.
        }
    }

    /** Returns the secret in the environment. Throws an exception if it is empty, or was not copied exactly. */
    static byte[] readSecret() {
        // Not by @Value of Spring, which evaluates expressions in a secret.
        String secret = System.getenv("PROFILE_WEBHOOK_SECRET");
        if (secret == null || secret.isEmpty()) throw new IllegalStateException("PROFILE_WEBHOOK_SECRET is not set");
        // Java reads what is not in the encoding of the locale as this character.
        if (secret.indexOf('\uFFFD') >= 0) {
            throw new IllegalStateException("PROFILE_WEBHOOK_SECRET cannot be read; for other characters than ASCII, set LC_ALL=C.UTF-8");
        }
        String space = " \t\r\n";
        if ((space + '\uFEFF').indexOf(secret.charAt(0)) >= 0 || space.indexOf(secret.charAt(secret.length() - 1)) >= 0) {
            throw new IllegalStateException("PROFILE_WEBHOOK_SECRET starts or ends with white space or a byte order mark");
        }
        return secret.getBytes(StandardCharsets.UTF_8);
    }
}
