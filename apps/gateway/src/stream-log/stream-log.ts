import type { Container, Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** Something that members are told as it happens. */
export interface Told {
  readonly type:
    `approval.${string}` | 'conversation.changed' | 'webhook.disabled' | 'reminder.due';
  /** Whose readers are told; null: all members. */
  readonly within: Container | null;
  readonly data: object;
}

const tell = statement<object>('access.tell_stream', 'SELECT tell_stream($1, $2, $3, $4, $5)');

/** Tells members of a change in its commit. The handler's last statement: it locks the workspace until the commit. */
export async function tellMembers(
  { rows }: Pick<Changing, 'rows'>,
  { type, within, data }: Told,
): Promise<void> {
  await rows(tell, [type, within?.type ?? null, within?.id ?? null, JSON.stringify(data)]);
}
