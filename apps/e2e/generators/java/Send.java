import org.openapitools.client.ApiClient;
import org.openapitools.client.JSON;
import org.openapitools.client.api.ConversationsApi;
import org.openapitools.client.api.SendsApi;
import org.openapitools.client.model.ConversationAnswer;
import org.openapitools.client.model.RequiredRecipients;
import org.openapitools.client.model.SendMessage;
import org.openapitools.client.model.SendReceipt;

/** The Java client of openapi-generator: base, key, mailbox, to, subject. It sends a message and reads it back. */
public class Send {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
    client.setApiKey(args[1]);
    SendMessage message = new SendMessage()
        .to(new RequiredRecipients(args[3]))
        .subject(args[4])
        .body("Hello")
        .mailbox(args[2]);
    SendReceipt receipt = new SendsApi(client).sendMessage(args[4], message);
    ConversationAnswer read = new ConversationsApi(client).getConversation(receipt.getThreadId(), args[2]);
    String subject = read.getConversation().getMessages().get(0).getSubject();
    System.out.println(JSON.getGson().toJson(new Object[] {receipt.getAccepted(), subject}));
    System.exit(0);
  }
}
