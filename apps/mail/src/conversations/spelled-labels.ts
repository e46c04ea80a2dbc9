import { hash } from 'node:crypto';
import type { ConversationItem } from '@postroom/contracts';
import { labelsMax } from '@postroom/contracts/labels-max';
import { sameText } from '@postroom/contracts/same-text';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const spell = statement<{ key: string; name: string }>(
  'conversations.spell_labels',
  'SELECT key, name FROM spell_labels($1, $2, $3, $4)',
);

/** The labels of a conversation with those that an imported message brings, as far as there is room for them. */
export async function importedLabels(
  changing: Pick<Changing, 'rows'>,
  before: ConversationItem,
  mailboxId: string,
  names: readonly string[],
): Promise<Pick<ConversationItem, 'labels'>> {
  const present = byKey(before.labels);
  const fresh = new Map([...byKey(names)].filter(([key]) => !present.has(key)));
  const added = await spelled(changing, { mailboxId }, fresh);
  return { labels: [...before.labels, ...added].slice(0, labelsMax) };
}

/** Labels by their key; of two spellings of one label, the first. */
export function byKey(labels: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const label of labels) {
    const key = labelKey(label);
    if (!found.has(key)) found.set(key, label);
  }
  return found;
}

/** Labels as the mailbox writes them, in the order given. */
export async function spelled(
  { rows }: Pick<Changing, 'rows'>,
  { mailboxId }: { readonly mailboxId: string },
  labels: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (labels.size === 0) return [];
  const values = [mailboxId, [...labels.keys()], [...labels.values()]];
  const names = new Map((await rows(spell, values)).map(({ key, name }) => [key, name]));
  return [...labels].map(([key, label]) => names.get(key) ?? label);
}

/** The key of a label, however it is written: a hash, since an index holds no long text. */
export const labelKey = (label: string): string => hash('sha256', sameText(label), 'base64url');
