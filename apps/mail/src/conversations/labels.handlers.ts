import { labelSettings, Problem, type LabelChanged, type RemoveLabel } from '@postroom/contracts';
import { handlers, type Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { labelKey } from './spelled-labels.js';

/** Conversations that a step changes: a conversation has many labels at worst, and each is copied for lists. */
const stepMax = 500;

const findMailbox = statement<{ id: string }>(
  'labels.find_mailbox',
  'SELECT id FROM mailboxes WHERE tenant_id = $1 AND id = $2',
);

const changeStep = statement<{ changed: number; isDone: boolean }>(
  'labels.change',
  'SELECT changed, is_done AS "isDone" FROM change_label($1, $2, $3, $4, $5, $6, $7)',
);

/**
 * A step of a change of a label: to another name, or to none. `after` is the number of conversations that earlier
 * steps have changed.
 * @throws Problem MAILBOX_NOT_FOUND, LABEL_NOT_FOUND
 */
async function changeLabel(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  { id, label, after }: RemoveLabel,
  name: string | null,
): Promise<LabelChanged & { readonly after: string | null }> {
  const [mailbox] = await rows(findMailbox, [id]);
  if (!mailbox) throw new Problem('MAILBOX_NOT_FOUND');
  const toKey = name === null ? null : labelKey(name);
  const [step] = await rows(changeStep, [id, labelKey(label), toKey, name, at, stepMax]);
  if (!step && after === '') throw new Problem('LABEL_NOT_FOUND');
  // Another request has ended it meanwhile.
  const { changed, isDone } = step ?? { changed: 0, isDone: true };
  const conversations = (Number.parseInt(after, 10) || 0) + changed;
  return { ok: true, conversations, after: isDone ? null : String(conversations) };
}

/** Labels of a mailbox, renamed, merged and removed on all its conversations. */
export const LabelSettingsHandlers = handlers(labelSettings, {
  rename: (context, input) => changeLabel(context, input, input.name),
  remove: (context, input) => changeLabel(context, input, null),
});
