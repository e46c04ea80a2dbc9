import { Keyring } from '@postroom/access';
import { systemActor, type DkimAccess } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import { routingAddress } from '../routing-address.js';
import { MailboxEntity } from './mailbox.entity.js';
import { MailboxSecrets, mailboxSeals } from './mailbox-secrets.js';

const find = statement<{ tenantId: string; id: string }>(
  'mailboxes.find_by_address',
  'SELECT tenant_id AS "tenantId", id FROM mailboxes_of($1)',
);

/**
 * Gives a mailbox the key that signs its messages, sealed with the first key of the ring; the one before signs no more.
 * @throws Error when there is no such mailbox, or several workspaces have one
 */
export async function setDkimKey(
  database: Database,
  keyring: string,
  address: string,
  dkim: DkimAccess,
): Promise<void> {
  const [found, ...others] = await database.rows(find, [routingAddress(address)]);
  if (!found) throw new Error(`There is no mailbox ${address}.`);
  if (others.length > 0) throw new Error(`Several workspaces have a mailbox ${address}.`);
  const { tenantId, id } = found;
  const secrets = new MailboxSecrets(Keyring.parse(keyring, [mailboxSeals.dkim]));
  const origin = { tenantId, actor: systemActor, source: 'app' } as const;
  await new UnitOfWork(database).change(origin, null, async ({ manager }) => {
    const mailbox = await manager.findOneByOrFail(MailboxEntity, { tenantId, id });
    secrets.apply(mailbox, { dkim });
    await manager.save(mailbox);
    const audit = { action: 'mailboxes.update', subjectId: id, requestId: null };
    return { value: undefined, audit };
  });
}
