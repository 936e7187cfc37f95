import java.security.*;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Webhook {
    /** Takes the header X-Service-Signature, or null, and the raw request body. */
    static boolean isAuthentic(byte[] secret, String signature, byte[] body) {
        if (signature == null || !signature.matches("sha256=[0-9A-Fa-f]{64}")) return false;
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return MessageDigest.isEqual(mac.doFinal(body), HexFormat.of().parseHex(signature, 7, 71));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error); // Every Java platform has HmacSHA256.
        }
    }
}
