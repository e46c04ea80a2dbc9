import { hash } from 'node:crypto';
import type { MemberCaller } from '@postroom/access';
import { clientNetwork, clientSite } from '@postroom/limits';
import type { Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const rememberDevice = statement<{ isNew: boolean }>(
  'access.remember_device',
  'SELECT remember_device($1, $2, $3, $4) AS "isNew"',
);

/**
 * Remembers the device and network of a sign-in. Only a hash is kept, of what is the same the next time: a
 * network of providers that give their customers a new address every day.
 */
export async function noteDevice(
  { rows, at }: Pick<Writing, 'rows' | 'at'>,
  { memberId, signsInFrom }: MemberCaller,
): Promise<void> {
  if (!signsInFrom) return;
  const { device, address } = signsInFrom;
  const name = hash('sha256', `${clientSite(clientNetwork(address))} ${device}`, 'base64url');
  await rows(rememberDevice, [memberId, name, at]);
}
