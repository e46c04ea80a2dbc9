import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { MailConfig } from '../config.js';
import { refusals } from './smtp/smtp-refusal.js';

const take = statement<{ taken: boolean }>(
  'inbound.take_arrival',
  'SELECT take_arrival($1, $2, $3, $4) AS taken',
);

/**
 * Counts bytes that arrive for a workspace, in the commit that stores them.
 * @throws SmtpRefusal where it has no room for them
 */
export async function takeArrival(
  { rows }: Pick<Changing, 'rows'>,
  bytes: number,
  {
    quotaStoredBytes,
    quotaArrivingBytes,
  }: Pick<MailConfig, 'quotaStoredBytes' | 'quotaArrivingBytes'>,
): Promise<void> {
  const [answer] = await rows(take, [bytes, quotaStoredBytes, quotaArrivingBytes]);
  if (!answer?.taken) throw refusals.overQuota();
}
