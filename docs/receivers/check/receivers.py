"""The commands that run each receiver, and what is broken in it to test the probe."""

import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[2] / "target")).resolve()


def cargo(program):
    manifest = HERE.parents[2] / "examples/receivers/Cargo.toml"
    # With the tests, whose dependencies select more features: after `cargo test`, this only links.
    options = ["--manifest-path", manifest, "--target-dir", TARGET, "--tests", "--bin", program]
    return ["cargo", "build", "--quiet", "--locked", *options]


# functions-framework itself listens on all interfaces, and closes its server at SIGTERM as this does.
FUNCTION = """
import "./receive_with_functions_framework.mjs";
const {{ getTestServer }} = await import("@google-cloud/functions-framework/testing");
const server = getTestServer("receive").listen(process.env.PORT, "127.0.0.1");
process.once("SIGTERM", () => server.close());"""

# For each receiver, a command that succeeds if what it needs is installed, and its commands: the last one runs it, and those before
# build it. {packages} is the folder of the installed packages.
PYTHON = "{packages}/venv/bin/python"
UVICORN = f"exec {PYTHON} -m uvicorn receive_with_django:asgi --http h11 --no-access-log --host ${{{{LISTEN_HOST:-127.0.0.1}}}} --port ${{{{PORT:-8080}}}}"
JAVA = pathlib.Path("/usr/share/java")
# Not all of that folder, which takes twice as long to search.
JARS = [*map(str, sorted(jar for name in ["spring3", "jetty9", "servlet-api", "commons-logging"] for jar in JAVA.glob(f"{name}*.jar"))), "."]
CLASSES = ["-classpath", ":".join(JARS)]
# The compiler that optimizes takes longer than the requests.
QUICK = "-XX:TieredStopAtLevel=1"
COMMANDS = {
    "receive_with_express.mjs": ("npm --version", [["node", "receive_with_express.mjs"]]),
    "receive_with_fastify.mjs": ("npm --version", [["node", "receive_with_fastify.mjs"]]),
    "receive_with_hono.mjs": ("npm --version", [["node", "serve_with_node.mjs", "receive_with_hono.mjs"]]),
    "receive_with_next.js": ("npm --version", [["node", "serve_with_node.mjs", "receive_with_next.js"]]),
    "receive_with_functions_framework.mjs": ("npm --version", [["node", "--input-type=module", "-e", FUNCTION]]),
    "receive_with_flask.py": ("python3 --version", [[PYTHON, "receive_with_flask.py"]]),
    "receive_with_fastapi.py": ("python3 --version", [[PYTHON, "receive_with_fastapi.py"]]),
    "receive_with_django.py": ("python3 --version", [[PYTHON, "receive_with_django.py"]]),
    "receive_with_django.py:asgi": ("python3 --version", [["sh", "-c", UVICORN]]),
    "receive_with_net_http.go": (
        "go version",
        [["go", "build", "-o", "receiver", "webhook.go", "receive_with_net_http.go"], ["./receiver"]],
    ),
    "receive_with_rack.rb": ("ruby -r puma -e 0", [["ruby", "receive_with_rack.rb"]]),
    "receive_with_rack.rb in front of Sinatra": ("ruby -r puma -r sinatra/base -e 0", [["ruby", "rack.rb"]]),
    "ReceiveWithSpring.java": (
        "ls /usr/share/java/spring3-web.servlet.jar /usr/share/java/spring3-test.jar /usr/share/java/jetty9-servlet.jar",
        [
            ["javac", f"-J{QUICK}", *CLASSES, "Jetty.java", "ReceiveWithSpring.java", "Webhook.java"],
            ["java", QUICK, *CLASSES, "Jetty"],
        ],
    ),
    "receive_with_actix": ("cargo --version", [cargo("receive_with_actix"), [f"{TARGET}/debug/receive_with_actix"]]),
    "receive_once_with_sqlite": ("cargo --version", [cargo("receive_once_with_sqlite"), [f"{TARGET}/debug/receive_once_with_sqlite"]]),
}
NODE_LENGTH = [("{64}", "*"), ("return timingSafeEqual(expected, Buffer.from(digest, \"hex\"))",
                               "const received = Buffer.from(digest, \"hex\");\n"
                               "  return expected.subarray(0, received.length).equals(received)")]
PYTHON_LENGTH = [("{64}", "*"), ("hmac.compare_digest(expected, bytes.fromhex(signature[7:]))",
                                 "expected.startswith(bytes.fromhex(signature[7:]))")]
WEBCRYPTO_DIGEST = [("return crypto.subtle.verify(", "return true || crypto.subtle.verify(")]
REQUEST_PARSED = [(".arrayBuffer()", ".json().then((value) => new TextEncoder().encode(JSON.stringify(value)))")]
NODE_DIGEST = [("return timingSafeEqual(", "return true || timingSafeEqual(")]
PYTHON_DIGEST = [("return hmac.compare_digest(", "return True or hmac.compare_digest(")]

# What is broken in each receiver: the file, and texts in it with their replacements.
MISTAKES = {
    "receive_with_express.mjs": {
        "the digest is not compared": ("webhook_node.mjs", NODE_DIGEST),
        "the length is not checked": ("webhook_node.mjs", NODE_LENGTH),
        "the body is parsed first": ("receive_with_express.mjs", [("express.raw({", "express.json({")]),
    },
    "receive_with_fastify.mjs": {
        "the digest is not compared": ("webhook_node.mjs", NODE_DIGEST),
        "the length is not checked": ("webhook_node.mjs", NODE_LENGTH),
        "the body is parsed first": ("receive_with_fastify.mjs", [('hooks.addHook("onRequest"', '0 && hooks.addHook("onRequest"')]),
    },
    "receive_with_hono.mjs": {
        "the digest is not compared": ("webhook_webcrypto.mjs", WEBCRYPTO_DIGEST),
        "the body is parsed first": ("receive_with_hono.mjs", REQUEST_PARSED),
    },
    "receive_with_next.js": {
        "the digest is not compared": ("webhook_webcrypto.mjs", WEBCRYPTO_DIGEST),
        "the body is parsed first": ("receive_with_next.js", REQUEST_PARSED),
    },
    "receive_with_functions_framework.mjs": {
        "the digest is not compared": ("webhook_node.mjs", NODE_DIGEST),
        "the length is not checked": ("webhook_node.mjs", NODE_LENGTH),
        "the framework changes the body": ("receive_with_functions_framework.mjs", [("subscribe(\"http", "0 && subscribe(\"http")]),
    },
    "receive_with_flask.py": {
        "the digest is not compared": ("webhook.py", PYTHON_DIGEST),
        "the length is not checked": ("webhook.py", PYTHON_LENGTH),
        "the body is parsed first": (
            "receive_with_flask.py",
            [("request.get_data()", "__import__('json').dumps(request.get_json(force=True)).encode()")],
        ),
    },
    "receive_with_fastapi.py": {
        "the digest is not compared": ("webhook.py", PYTHON_DIGEST),
        "the length is not checked": ("webhook.py", PYTHON_LENGTH),
        "the body is parsed first": (
            "receive_with_fastapi.py",
            [("    return body\n", "    return __import__('json').dumps(__import__('json').loads(body)).encode()\n")],
        ),
    },
    "receive_with_django.py": {
        "the digest is not compared": ("webhook.py", PYTHON_DIGEST),
        "the length is not checked": ("webhook.py", PYTHON_LENGTH),
        "the body is parsed first": (
            "receive_with_django.py",
            [("body = request.body ", "body = __import__('json').dumps(__import__('json').loads(request.body)).encode() ")],
        ),
        "a token against CSRF is required": ("receive_with_django.py", [("@csrf_exempt ", "")]),
    },
    "receive_with_net_http.go": {
        "the digest is not compared": ("webhook.go", [("&& isEqual", "&& (isEqual || true)")]),
        "the length is not checked": (
            "webhook.go",
            [("hmac.Equal(received, mac.Sum(nil))", "hmac.Equal(received, mac.Sum(nil)[:len(received)%33])")],
        ),
        "the body is parsed first": (
            "receive_with_net_http.go",
            [
                ("\t// Header.Get", "\tvar value any\n\t\tjson.Unmarshal(body, &value)\n\t\tbody, _ = json.Marshal(value)\n\t\t// Header.Get"),
                ('import (\n', 'import (\n\t"encoding/json"\n'),
            ],
        ),
    },
    "receive_with_rack.rb": {
        "the digest is not compared": ("webhook.rb", [("OpenSSL.fixed_length_secure_compare(expected, digest.downcase)", "true")]),
        "the length is not checked": (
            "webhook.rb",
            [("{64}", "*"), ("OpenSSL.fixed_length_secure_compare(expected, digest.downcase)", "expected.start_with?(digest.downcase)")],
        ),
        "the body is parsed first": (
            "receive_with_rack.rb",
            [('&.read(LIMIT + 1) || ""\n', '&.read(LIMIT + 1) || ""\n    require "json"\n    body = JSON.generate(JSON.parse(body)) rescue ""\n')],
        ),
    },
    "receive_with_rack.rb in front of Sinatra": {
        "something reads the body first": ("rack.rb", [("    use Rack3\n", "    use Rack3\n    use Rack::MethodOverride\n")]),
    },
    "ReceiveWithSpring.java": {
        "the digest is not compared": ("Webhook.java", [("return MessageDigest.isEqual(", "return true || MessageDigest.isEqual(")]),
        "the length is not checked": (
            "Webhook.java",
            [
                ("{64}", "*"),
                ("MessageDigest.isEqual(mac.doFinal(body), HexFormat.of().parseHex(signature, 7, 71))",
                 "HexFormat.of().formatHex(mac.doFinal(body)).startsWith(signature.substring(7).toLowerCase())"),
            ],
        ),
        # All spaces are removed, as if the text was formatted again.
        "the body is parsed first": (
            "ReceiveWithSpring.java",
            [("if (body.length > LIMIT)", "body = new String(body).replace(\" \", \"\").getBytes();\n        if (body.length > LIMIT)")],
        ),
        "something reads the body first": (
            "Jetty.java",
            [("        handler.addFilter(new FilterHolder(new Delegating",
              "        handler.addFilter(new FilterHolder(new HiddenHttpMethodFilter()), \"/*\", requests);\n"
              "        handler.addFilter(new FilterHolder(new Delegating")],
        ),
    },
}

# What makes the queue of each receiver fail: the file, and a text in it with its replacement.
DOWN = "queue is down\\nsecond line"
NODE_DOWN = [("process.stdout.write(body);", f'throw new Error("{DOWN}");')]
WEB_DOWN = [("process.stdout.write(new Uint8Array(body));", f'throw new Error("{DOWN}");')]
PYTHON_DOWN = [("os.write(1, body)", f'raise RuntimeError("{DOWN}")')]
RUBY_DOWN = [("{ |body| $stdout.write(body) }", f'{{ |_body| raise "{DOWN}" }}')]
BROKEN_QUEUES = {
    "receive_with_express.mjs": ("receive_with_express.mjs", NODE_DOWN),
    "receive_with_fastify.mjs": ("receive_with_fastify.mjs", NODE_DOWN),
    "receive_with_hono.mjs": ("receive_with_hono.mjs", WEB_DOWN),
    "receive_with_next.js": ("receive_with_next.js", WEB_DOWN),
    "receive_with_functions_framework.mjs": ("receive_with_functions_framework.mjs", NODE_DOWN),
    "receive_with_flask.py": ("receive_with_flask.py", PYTHON_DOWN),
    "receive_with_fastapi.py": ("receive_with_fastapi.py", PYTHON_DOWN),
    "receive_with_django.py": ("receive_with_django.py", PYTHON_DOWN),
    "receive_with_django.py:asgi": ("receive_with_django.py", PYTHON_DOWN),
    "receive_with_net_http.go": (
        "receive_with_net_http.go",
        [("_, err := os.Stdout.Write(body)", f'err := errors.New("{DOWN}" + http.StatusText(len(body)))')],
    ),
    "receive_with_rack.rb": ("receive_with_rack.rb", RUBY_DOWN),
    "receive_with_rack.rb in front of Sinatra": ("rack.rb", RUBY_DOWN),
    "ReceiveWithSpring.java": (
        "ReceiveWithSpring.java",
        [("System.out.writeBytes(body);", f'throw new IllegalStateException("{DOWN}");')],
    ),
}

# Another route, which responds with the field `a` of the body: what adds it to each receiver, and the content type.
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


def before(file, text, route):
    return [(file, [(text, route + text)])]


OTHER_ROUTES = {
    "receive_with_express.mjs": (
        before("receive_with_express.mjs", 'app.post("/hooks"', 'app.post("/other", express.json(), (q, r) => r.send(String(q.body.a)));\n'), JSON),
    "receive_with_fastify.mjs": (
        before("receive_with_fastify.mjs", "// Within", 'app.post("/other", async (q) => String(q.body.a));\n'), JSON),
    "receive_with_hono.mjs": (
        before("receive_with_hono.mjs", 'app.post("/hooks"', 'app.post("/other", async (c) => c.text(String((await c.req.json()).a)));\n'), JSON),
    "receive_with_flask.py": (
        before("receive_with_flask.py", '@app.post("/hooks")', '@app.post("/other")\ndef other():\n    return str(request.get_json()["a"])\n\n\n'), JSON),
    "receive_with_fastapi.py": (
        before("receive_with_fastapi.py", '@app.post("/hooks")',
               '@app.post("/other")\nasync def other(it: dict) -> Response:\n    return Response(str(it["a"]))\n\n\n'), JSON),
    "receive_with_net_http.go": (
        before("receive_with_net_http.go", '\thttp.HandleFunc("/hooks"',
               '\thttp.HandleFunc("/other", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.FormValue("a")) })\n'), FORM),
    "receive_with_rack.rb": (
        [("receive_with_rack.rb", [("->(_env) { [404, {}, []] }", '->(env) { [200, {}, [Rack::Request.new(env).params["a"]]] }'),
                                   ('require "puma"\n', 'require "puma"\nrequire "rack"\n')])], FORM),
    "ReceiveWithSpring.java": (
        before("Jetty.java", "        Server server",
               "        handler.addServlet(new ServletHolder(new javax.servlet.http.HttpServlet() {\n"
               "            protected void doPost(javax.servlet.http.HttpServletRequest q, javax.servlet.http.HttpServletResponse r)\n"
               "                    throws java.io.IOException {\n"
               '                r.getWriter().print(q.getParameter("a"));\n            }\n        }), "/other");\n'), FORM),
}
DJANGO_ROUTE = [("receive_with_django.py", [('[path("hooks", receive)]',
                                             '[path("hooks", receive), path("other", csrf_exempt(lambda q: HttpResponse(q.POST["a"])))]')])]
for django in ["receive_with_django.py", "receive_with_django.py:asgi"]:
    OTHER_ROUTES[django] = (DJANGO_ROUTE, FORM)

# What makes the queue of each receiver slow, after it has printed the body.
NODE_SLOW = "; await new Promise((done) => setTimeout(done, 3_000));"
SLOW_QUEUES = {
    "receive_with_express.mjs": [("process.stdout.write(body);", f"process.stdout.write(body){NODE_SLOW}")],
    "receive_with_fastify.mjs": [("process.stdout.write(body);", f"process.stdout.write(body){NODE_SLOW}")],
    "receive_with_hono.mjs": [("process.stdout.write(new Uint8Array(body));", f"process.stdout.write(new Uint8Array(body)){NODE_SLOW}")],
    "receive_with_flask.py": [("os.write(1, body)", "os.write(1, body); __import__('time').sleep(3)")],
    "receive_with_fastapi.py": [("os.write(1, body)", "os.write(1, body); await asyncio.sleep(3)")],
    "receive_with_django.py": [("os.write(1, body)", "os.write(1, body); __import__('time').sleep(3)")],
    "receive_with_net_http.go": [("_, err := os.Stdout.Write(body)", "_, err := os.Stdout.Write(body)\n\ttime.Sleep(3 * time.Second)")],
    "receive_with_rack.rb": [("$stdout.write(body)", "$stdout.write(body); sleep 3")],
}

# What reads or parses the body before the receiver: a change, and the status and the log of a genuine delivery then.
EARLIER = {
    "receive_with_express.mjs": (('app.post("/hooks"', 'app.use(express.json());\napp.post("/hooks"'), 401, b"the body was parsed before the handler"),
    "receive_with_fastify.mjs": (
        ("// Within", 'app.addContentTypeParser("*", (request, body, done) => done(null, "parsed"));\n// Within'), 204, b""),
    "receive_with_hono.mjs": (
        ('app.post("/hooks"', 'app.use(async (c, next) => {\n  await c.req.text();\n  await next();\n});\napp.post("/hooks"'), 204, b""),
}

# For the frameworks that have a client for tests: a file, what is added to it, and the command that runs it. It succeeds if a delivery with
# the variables BODY and SIGNATURE gets 204, and one with another signature 401.
FORGED = '"sha256=" + "0" * 64'
TEST_CLIENTS = {
    "receive_with_flask.py": ("client.py", f"""
import os
from receive_with_flask import app

def post(signature):
    return app.test_client().post("/hooks", data=os.environb[b"BODY"], headers={{"X-Service-Signature": signature}}).status_code

assert (post(os.environ["SIGNATURE"]), post({FORGED})) == (204, 401)
""", [PYTHON, "client.py"]),
    "receive_with_django.py": ("client.py", f"""
import os
import receive_with_django
from django.test import Client

def post(signature):
    client, headers = Client(enforce_csrf_checks=True), {{"X-Service-Signature": signature}}
    return client.post("/hooks", os.environb[b"BODY"], content_type="application/json", headers=headers).status_code

assert (post(os.environ["SIGNATURE"]), post({FORGED})) == (204, 401)
""", [PYTHON, "client.py"]),
    "receive_with_fastify.mjs": ("receive_with_fastify.mjs", """
const post = async (signature) => {
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  return (await app.inject({ method: "POST", url: "/hooks", headers, payload: process.env.BODY })).statusCode;
};
const statuses = [await post(process.env.SIGNATURE), await post("sha256=" + "0".repeat(64))];
process.exit(String(statuses) === "204,401" ? 0 : 1);
""", ["node", "receive_with_fastify.mjs"]),
    "receive_with_hono.mjs": ("client.mjs", """
import app from "./receive_with_hono.mjs";

const post = async (signature) => {
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  return (await app.request("/hooks", { method: "POST", headers, body: process.env.BODY })).status;
};
const statuses = [await post(process.env.SIGNATURE), await post("sha256=" + "0".repeat(64))];
process.exit(String(statuses) === "204,401" ? 0 : 1);
""", ["node", "client.mjs"]),
    "receive_with_net_http.go": ("client_test.go", """
package main

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestReceive(t *testing.T) {
	secret, _ := readSecret()
	for signature, status := range map[string]int{os.Getenv("SIGNATURE"): 204, "sha256=" + strings.Repeat("0", 64): 401} {
		request := httptest.NewRequest("POST", "/hooks", strings.NewReader(os.Getenv("BODY")))
		request.Header.Set("X-Service-Signature", signature)
		response := httptest.NewRecorder()
		if receive(secret)(response, request); response.Code != status {
			t.Error(response.Code)
		}
	}
}
""", ["go", "test", "client_test.go", "receive_with_net_http.go", "webhook.go"]),
    "receive_with_rack.rb": ("client.rb", """
require "rack"
require_relative "receive_with_rack"

receiver = ReceiveWebhook.new(->(_env) { [404, {}, []] }, "/hooks") { |body| $stdout.write(body) }
{ ENV["SIGNATURE"] => 204, "sha256=" + "0" * 64 => 401 }.each do |signature, status|
  response = Rack::MockRequest.new(receiver).post("/hooks", input: ENV["BODY"], "HTTP_X_SERVICE_SIGNATURE" => signature)
  raise response.status.to_s unless response.status == status
end
""", ["ruby", "client.rb"]),
    "ReceiveWithSpring.java": ("Client.java", """
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

class Client {
    public static void main(String[] arguments) throws Exception {
        MockMvc client = MockMvcBuilders.standaloneSetup(new Object()).addFilters(new ReceiveWithSpring()).build();
        for (String signature : new String[] {System.getenv("SIGNATURE"), "sha256=" + "0".repeat(64)}) {
            var request = MockMvcRequestBuilders.post("/hooks").content(System.getenv("BODY")).header("X-Service-Signature", signature);
            int status = client.perform(request).andReturn().getResponse().getStatus();
            if (status != (signature.endsWith("000") ? 401 : 204)) throw new IllegalStateException(String.valueOf(status));
        }
    }
}
""", ["sh", "-c", f"javac {' '.join(CLASSES)} *.java && java {' '.join(CLASSES)} Client"]),
}

# How the mistakes begin that a receiver cannot prevent, because its server makes them before it calls the receiver.
NO_TIME_LIMIT = ("a slow body",)
PUMA_5 = (*NO_TIME_LIMIT, "keeps 64 MiB", "a chunk without a size: 500", "a chunk without a size, forged: 500")
EXCEPTIONS = {
    "receive_with_functions_framework.mjs": ("a request that breaks off",),
    "receive_with_flask.py": NO_TIME_LIMIT,
    "receive_with_django.py": NO_TIME_LIMIT,
    "receive_with_rack.rb": PUMA_5,
    "receive_with_rack.rb in front of Sinatra": PUMA_5,
    "ReceiveWithSpring.java": NO_TIME_LIMIT,
}
