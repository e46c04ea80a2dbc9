import { isAdministrator, mayReadBesideMail, memberOf } from '@postroom/access';
import {
  emailKey,
  emailValue,
  type ConversationItem,
  type ListedConversation,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const contactsOf = statement<{ address: string; id: string; name: string }>(
  'contacts.of_addresses',
  'SELECT address, id, name FROM contacts_of($1, $2, $3, $4)',
);

/** What a message says may be written otherwise than the directory keeps it, or be no address. */
const keyOf = (email: string): string => emailKey(emailValue(email) ?? email);

/** Conversations with the contacts of their outside senders, as far as the caller may read these. */
export async function withContacts<C extends ConversationItem>(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  items: readonly C[],
): Promise<(C & ListedConversation)[]> {
  if (!mayReadBesideMail(caller, 'read:contacts'))
    return items.map((item) => ({ ...item, contact: null }));
  const keys = items.map(({ from }) => from && keyOf(from.email));
  const addresses = [...new Set(keys.filter((key) => key !== null))];
  const values = [memberOf(caller), isAdministrator(caller), addresses];
  const found = addresses.length > 0 ? await rows(contactsOf, values) : [];
  const byAddress = new Map(found.map(({ address, id, name }) => [address, { id, name }]));
  return items.map((item, i) => ({ ...item, contact: byAddress.get(keys[i] ?? '') ?? null }));
}
