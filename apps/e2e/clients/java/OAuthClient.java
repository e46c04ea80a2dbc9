import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.customizer.McpHttpClientTransportAuthorizationErrorHandler;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The official Java client, by OAuth from the address alone: url, mailbox. The SDK has no OAuth of its own: it hands what
 * a 401 says to an authorization error handler, and takes the token from a request customizer.
 */
public class OAuthClient {
  static final HttpClient http = HttpClient.newHttpClient();
  static final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
  static final String redirectUri = "http://127.0.0.1:9/callback";

  static Map<String, Object> server;
  static String resource;
  static String clientId;
  static volatile Map<String, Object> tokens = Map.of();

  public static void main(String[] args) throws Exception {
    var base = URI.create(args[0]);
    McpHttpClientTransportAuthorizationErrorHandler renewing =
        McpHttpClientTransportAuthorizationErrorHandler.fromSync((request, answer, context) -> {
          try {
            var told = answer.headers().firstValue("WWW-Authenticate").orElse("");
            return tokens.isEmpty() ? signIn(told) : renew();
          } catch (Exception error) {
            throw new RuntimeException(error);
          }
        });
    var transport = HttpClientStreamableHttpTransport.builder(base.resolve("/").toString())
        .endpoint(base.getPath())
        .authorizationErrorHandler(renewing)
        .httpRequestCustomizer((request, method, uri, body, context) -> {
          if (!tokens.isEmpty()) request.header("Authorization", "Bearer " + tokens.get("access_token"));
        })
        .build();
    var patience = Duration.ofMinutes(2);
    try (var client = McpClient.sync(transport).requestTimeout(patience).initializationTimeout(patience).build()) {
      var version = client.initialize().protocolVersion();
      say(Map.of("version", version, "tools", client.listTools().tools().size()));
      var found = (List<?>) call(client, "svc_search", Map.of("query", "order", "mailbox", args[1])).get("results");
      say(Map.of("found", !found.isEmpty()));
      tokens = Map.of("access_token", "pr_access_expired", "refresh_token", tokens.get("refresh_token"));
      say(Map.of("again", client.listTools().tools().size()));
      var draft = Map.<String, Object>of("mailbox", args[1], "subject", "By java", "body", "Hello");
      var filed = (Map<?, ?>) call(client, "svc_draft_create", draft).get("approval");
      say(Map.of("filed", filed.get("id")));
      input.readLine();
      var written = (Map<?, ?>) call(client, "svc_draft_create", draft).get("draft");
      say(Map.of("draft", written.get("subject")));
    }
    System.exit(0);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return (Map<String, Object>) client.callTool(new McpSchema.CallToolRequest(tool, arguments)).structuredContent();
  }

  /** A person allows it: metadata (RFC 9728, 8414), registration (RFC 7591), a code with PKCE. */
  static boolean signIn(String challenge) throws Exception {
    var named = Pattern.compile("resource_metadata=\"([^\"]+)\"").matcher(challenge);
    if (!named.find()) return false;
    var protectedBy = get(named.group(1));
    resource = (String) protectedBy.get("resource");
    var issuer = ((List<?>) protectedBy.get("authorization_servers")).get(0);
    server = get(issuer + "/.well-known/oauth-authorization-server");
    var client = Map.of("client_name", "Official client", "redirect_uris", List.of(redirectUri));
    var registration = HttpRequest.newBuilder(endpoint("registration_endpoint")).header("Content-Type", "application/json");
    clientId = (String) ask(registration.POST(BodyPublishers.ofByteArray(McpJsonDefaults.getMapper().writeValueAsBytes(client))))
        .get("client_id");
    var random = new byte[32];
    new SecureRandom().nextBytes(random);
    var verifier = encoded(random);
    var digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
    say(Map.of("authorize", endpoint("authorization_endpoint") + "?" + form(Map.of(
        "response_type", "code", "client_id", clientId, "redirect_uri", redirectUri, "resource", resource,
        "code_challenge", encoded(digest), "code_challenge_method", "S256"))));
    var code = Pattern.compile("[?&]code=([^&]+)").matcher(input.readLine());
    if (!code.find()) return false;
    return take(Map.of("grant_type", "authorization_code", "redirect_uri", redirectUri, "code_verifier", verifier,
        "code", URLDecoder.decode(code.group(1), StandardCharsets.UTF_8)));
  }

  static boolean renew() throws Exception {
    return take(Map.of("grant_type", "refresh_token", "refresh_token", (String) tokens.get("refresh_token")));
  }

  static boolean take(Map<String, String> grant) throws Exception {
    var body = form(grant) + "&" + form(Map.of("client_id", clientId, "resource", resource));
    tokens = ask(HttpRequest.newBuilder(endpoint("token_endpoint"))
        .header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(body)));
    return true;
  }

  static URI endpoint(String name) {
    return URI.create((String) server.get(name));
  }

  static Map<String, Object> get(String address) throws Exception {
    return ask(HttpRequest.newBuilder(URI.create(address)));
  }

  static Map<String, Object> ask(HttpRequest.Builder request) throws Exception {
    var answer = http.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() >= 300) throw new IOException(answer.statusCode() + " " + answer.body());
    return McpJsonDefaults.getMapper().readValue(answer.body(), new TypeRef<Map<String, Object>>() {});
  }

  static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static void say(Object told) throws IOException {
    System.out.println(McpJsonDefaults.getMapper().writeValueAsString(told));
  }
}
