import { systemActor } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { routingAddress } from '../routing-address.js';

const findDeleted = statement<{ tenantId: string; id: string }>(
  'mailboxes.find_deleted',
  'SELECT tenant_id AS "tenantId", id FROM deleted_mailboxes($1)',
);
const restore = statement<{ done: boolean }>(
  'mailboxes.restore',
  'SELECT restore_mailbox($1, $2) AS done',
);

/**
 * Brings a deleted mailbox back, with all that was in it.
 * @param named its address or its id
 * @throws Error when none of that name is deleted, or several are
 */
export async function restoreMailbox(database: Database, named: string): Promise<void> {
  const name = named.includes('@') ? routingAddress(named) : named;
  const [found, ...others] = await database.rows(findDeleted, [name]);
  if (!found) throw new Error(`No mailbox ${named} is deleted, or its 30 days are over.`);
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(', ');
    throw new Error(`Several workspaces have deleted ${named}; name one of ${ids}.`);
  }
  const { tenantId, id } = found;
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  await new UnitOfWork(database).change(origin, null, async ({ rows }) => {
    const [restored] = await rows(restore, [id]);
    if (!restored?.done) throw new Error(`The mailbox ${named} has been restored already.`);
    const audit = { action: 'mailboxes.restore', subjectId: id, requestId: null };
    return { value: undefined, audit };
  });
}
