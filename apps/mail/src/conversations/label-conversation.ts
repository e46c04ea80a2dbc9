import {
  labelsMax,
  Problem,
  type LabelConversation,
  type LabelResult,
  type triage,
} from '@postroom/contracts';
import type { Changing, Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import {
  changeConversation,
  lockConversation,
  type LockedConversation,
} from './change-conversation.js';
import { labelKey } from './label-key.js';

const spell = statement<{ key: string; name: string }>(
  'conversations.spell_labels',
  'SELECT key, name FROM spell_labels($1, $2, $3, $4)',
);

/**
 * Puts labels on a conversation, then takes labels off it. Two labels are the same when `sameText` says
 * so; a mailbox writes each as it was first written there.
 *
 * @throws Problem CONVERSATION_NOT_FOUND, TOO_MANY_LABELS
 */
export async function labelConversation(
  context: Writing<typeof triage.label>,
  input: LabelConversation,
): Promise<LabelResult> {
  const before = await lockConversation(context, input);
  const present = byKey(before.labels);
  const leaving = byKey(input.remove);
  const isFresh = (key: string): boolean => !present.has(key) && !leaving.has(key);
  const fresh = new Map([...byKey(input.add)].filter(([key]) => isFresh(key)));
  const removed = [...present].filter(([key]) => leaving.has(key)).map(([, label]) => label);
  const added = await spelled(context, before, fresh);
  const labels = [...before.labels.filter((label) => !removed.includes(label)), ...added];
  if (labels.length > labelsMax) throw tooMany();
  if (added.length + removed.length > 0) {
    const change = await changeConversation(context, before, { labels });
    context.emit({ type: 'conversation.labeled', ...change });
  }
  return { labels, added, removed };
}

const tooMany = (): Problem => {
  const fr = `${labelsMax} étiquettes au plus par conversation attendues`;
  const message = { fr, en: `expected at most ${labelsMax} labels on a conversation` };
  return new Problem('TOO_MANY_LABELS', { violations: [{ field: 'add', message }] });
};

/** Labels by their key; of two spellings of one label, the first. */
function byKey(labels: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const label of labels) {
    const key = labelKey(label);
    if (!found.has(key)) found.set(key, label);
  }
  return found;
}

/** Labels as the mailbox writes them, in the order given. */
async function spelled(
  { rows }: Pick<Changing, 'rows'>,
  { mailboxId }: LockedConversation,
  labels: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (labels.size === 0) return [];
  const values = [mailboxId, [...labels.keys()], [...labels.values()]];
  const names = new Map((await rows(spell, values)).map(({ key, name }) => [key, name]));
  return [...labels].map(([key, label]) => names.get(key) ?? label);
}
