import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/** The official Java client: url, key, mailbox. It connects, lists and calls. */
public class Client {
  public static void main(String[] args) {
    var base = java.net.URI.create(args[0]);
    var transport = HttpClientStreamableHttpTransport.builder(base.resolve("/").toString())
        .endpoint(base.getPath())
        .httpRequestCustomizer((request, method, uri, body, context) -> request.header("X-Api-Key", args[1]))
        .build();
    try (var client = McpClient.sync(transport).build()) {
      System.out.println(client.initialize().serverInfo().name());
      System.out.println(client.listTools().tools().size());
      var found = client.callTool(new McpSchema.CallToolRequest("svc_search", Map.of("query", "order", "mailbox", args[2])));
      System.out.println(found.isError() + " " + (found.structuredContent() != null));
    }
    System.exit(0);
  }
}
