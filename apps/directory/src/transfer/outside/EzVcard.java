import static java.nio.charset.StandardCharsets.UTF_8;

import ezvcard.Ezvcard;
import ezvcard.VCard;
import ezvcard.VCardVersion;
import ezvcard.parameter.EmailType;
import ezvcard.parameter.TelephoneType;
import ezvcard.property.Categories;
import ezvcard.property.StructuredName;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * `read` prints what it reads of the cards on its input, `write VERSION` writes cards of what stands there:
 * a line a property with its name, its type and its value in base64, and an empty line after each contact.
 */
public class EzVcard {
  private static final PrintStream out = new PrintStream(System.out, false, UTF_8);

  public static void main(String[] args) throws Exception {
    String input = new String(System.in.readAllBytes(), UTF_8);
    if (args[0].equals("read")) {
      for (VCard card : Ezvcard.parse(input).all()) print(card);
      out.flush();
      return;
    }
    VCardVersion version = VCardVersion.valueOfByStr(args[1]);
    try (OutputStreamWriter writer = new OutputStreamWriter(System.out, UTF_8)) {
      Ezvcard.write(cardsOf(input)).version(version).prodId(false).go(writer);
    }
  }

  private static void print(VCard card) {
    line("fn", null, card.getFormattedName().getValue());
    StructuredName name = card.getStructuredName();
    if (name != null) {
      line("family", null, name.getFamily());
      line("given", null, name.getGiven());
    }
    card.getEmails().forEach(one -> line("email", firstOf(one.getTypes()), one.getValue()));
    card.getTelephoneNumbers()
        .forEach(one -> line("tel", firstOf(one.getTypes()), one.getText()));
    if (card.getOrganization() != null)
      line("org", null, card.getOrganization().getValues().get(0));
    card.getTitles().forEach(one -> line("title", null, one.getValue()));
    Categories groups = card.getCategories();
    if (groups != null) groups.getValues().forEach(one -> line("group", null, one));
    card.getNotes().forEach(one -> line("note", null, one.getValue()));
    out.println();
  }

  private static String firstOf(List<? extends ezvcard.parameter.VCardParameter> types) {
    return types.isEmpty() ? null : types.get(0).getValue();
  }

  private static void line(String name, String type, String value) {
    if (value == null || value.isEmpty()) return;
    String text = Base64.getEncoder().encodeToString(value.getBytes(UTF_8));
    out.println(name + " " + (type == null ? "-" : type) + " " + text);
  }

  private static List<VCard> cardsOf(String input) {
    List<VCard> cards = new ArrayList<>();
    for (String contact : input.split("\n\n")) {
      VCard card = new VCard();
      StructuredName name = new StructuredName();
      List<String> groups = new ArrayList<>();
      for (String property : contact.strip().split("\n")) {
        String[] parts = property.split(" ");
        String type = parts[1].equals("-") ? null : parts[1];
        String value = new String(Base64.getDecoder().decode(parts[2]), UTF_8);
        switch (parts[0]) {
          case "fn" -> card.setFormattedName(value);
          case "family" -> name.setFamily(value);
          case "given" -> name.setGiven(value);
          case "email" -> {
            if (type == null) card.addEmail(value);
            else card.addEmail(value, EmailType.get(type));
          }
          case "tel" -> {
            if (type == null) card.addTelephoneNumber(value);
            else card.addTelephoneNumber(value, TelephoneType.get(type));
          }
          case "org" -> card.setOrganization(value);
          case "title" -> card.addTitle(value);
          case "group" -> groups.add(value);
          case "note" -> card.addNote(value);
          default -> throw new IllegalArgumentException(parts[0]);
        }
      }
      if (name.getFamily() != null || name.getGiven() != null) card.setStructuredName(name);
      if (!groups.isEmpty()) card.setCategories(groups.toArray(new String[0]));
      cards.add(card);
    }
    return cards;
  }
}
