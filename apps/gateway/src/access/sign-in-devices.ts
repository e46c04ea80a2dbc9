import { hash } from 'node:crypto';
import type { MemberCaller } from '@postroom/access';
import { clientNetwork, clientSite } from '@postroom/limits';
import type { Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MemberEntity } from './entities.js';
import { noticed, queue } from './notices/notice.js';

const rememberDevice = statement<{ isNew: boolean }>(
  'access.remember_device',
  'SELECT remember_device($1, $2, $3, $4) AS "isNew"',
);

const forgetDevice = statement<object>(
  'access.forget_device',
  'DELETE FROM known_devices WHERE tenant_id = $1 AND member_id = $2 AND name = $3',
);

/**
 * Remembers the device and network of a sign-in, and queues mail to the member when they are new to the account. Where too
 * much mail waits they stay new: the next sign-in reports them.
 * Only a hash is kept. The network is a whole site, since providers give customers a new address every day.
 */
export async function noteDevice(
  context: Pick<Writing, 'rows' | 'at' | 'manager' | 'tenantId'>,
  { memberId, signsInFrom }: MemberCaller,
): Promise<void> {
  const { rows, at, manager } = context;
  if (!signsInFrom) return;
  const { device, address } = signsInFrom;
  const name = hash('sha256', `${clientSite(clientNetwork(address))} ${device}`, 'base64url');
  const [found] = await rows(rememberDevice, [memberId, name, at]);
  if (!found?.isNew) return;
  const member = await manager.findOneByOrFail(MemberEntity, { id: memberId });
  if (!member.signInNotices) return;
  const isQueued = await queue(context, 'sign_in', {
    ...(await noticed(context, member)),
    ...{ device, address, at: at.toISOString() },
  });
  if (!isQueued) await rows(forgetDevice, [memberId, name]);
}
