import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import javax.servlet.*; // In Spring Boot 3: jakarta.servlet
import javax.servlet.http.*; // jakarta.servlet.http
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Receives webhooks before other filters read forms or reject requests without a CSRF token. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class ReceiveWithSpring extends OncePerRequestFilter {
    private static final int LIMIT = 1 << 20;
    // Not by @Value, which evaluates expressions in a secret.
    private final String secret = System.getenv("PROFILE_WEBHOOK_SECRET");

    ReceiveWithSpring() {
        if (secret == null || secret.isEmpty()) throw new IllegalStateException("PROFILE_WEBHOOK_SECRET is not set");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain others)
            throws ServletException, IOException {
        if (request.getMethod().equals("POST") && request.getServletPath().equals("/hooks")) {
            response.setStatus(receive(request));
        } else {
            others.doFilter(request, response);
        }
    }

    private int receive(HttpServletRequest request) {
        byte[] body;
        try {
            body = request.getInputStream().readNBytes(LIMIT + 1);
        } catch (IOException error) {
            return 400; // It broke off, or is not sent.
        }
        if (body.length > LIMIT) return 413;
        // `getHeader` returns the first of repeated headers.
        List<String> signatures = Collections.list(request.getHeaders("X-Service-Signature"));
        byte[] key = secret.getBytes(StandardCharsets.UTF_8);
        if (signatures.size() != 1 || !Webhook.isAuthentic(key, signatures.get(0), body)) return 401;
        System.out.println(new String(body)); // Put it into a queue.
        return 204;
    }
}
