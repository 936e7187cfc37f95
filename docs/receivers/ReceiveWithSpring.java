import java.io.IOException;
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
    private final byte[] secret = Webhook.readSecret();

    private void enqueue(byte[] body) {
        System.out.writeBytes(body); // Put it into a queue.
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain others)
            throws ServletException, IOException {
        // `getServletPath` is empty if the dispatcher is mapped to `/*`, and in MockMvc.
        String path = request.getRequestURI().substring(request.getContextPath().length());
        if (request.getMethod().equals("POST") && path.equals("/hooks")) {
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
            return reject(400, "the body broke off, or is not sent");
        }
        if (body.length > LIMIT) return reject(413, "the body is too large");
        // `getHeader` returns the first of repeated headers.
        List<String> signatures = Collections.list(request.getHeaders("X-Service-Signature"));
        if (signatures.size() != 1 || !Webhook.isAuthentic(secret, signatures.get(0), body)) {
            return reject(401, "the signature is missing or not valid");
        }
        try {
            enqueue(body);
        } catch (RuntimeException error) {
            // On one line.
            System.err.println("webhook failed: " + String.valueOf(error.getMessage()).replaceAll("\\R", " "));
            return 500;
        }
        return 204;
    }

    private static int reject(int status, String reason) {
        System.err.println("webhook rejected with " + status + ": " + reason);
        return status;
    }
}
