import type { InvitationReceived, MailEffects } from '@postroom/contracts';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/** Invitations of a workspace that wait; the oldest beyond are dropped. */
const keptMax = 500;

const put = statement<object>(
  'invitations.put_unconfirmed',
  `INSERT INTO unconfirmed_invitations (tenant_id, message_id, received, at)
   VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
);

const dropOldest = statement<object>(
  'invitations.drop_unconfirmed',
  `DELETE FROM unconfirmed_invitations u USING (
     SELECT message_id FROM unconfirmed_invitations WHERE tenant_id = $1
     ORDER BY at DESC, message_id DESC OFFSET ${keptMax}) old
   WHERE u.tenant_id = $1 AND u.message_id = old.message_id`,
);

const take = statement<{ received: InvitationReceived }>(
  'invitations.take_unconfirmed',
  `DELETE FROM unconfirmed_invitations WHERE tenant_id = $1 AND message_id = $2 RETURNING received`,
);

const readRule = statement<{ effects: MailEffects }>(
  'invitations.rule',
  'SELECT mail_effects AS effects FROM invitation_rules WHERE tenant_id = $1',
);

const putRule = statement<object>(
  'invitations.put_rule',
  `INSERT INTO invitation_rules (tenant_id, mail_effects) VALUES ($1, $2)
   ON CONFLICT (tenant_id) DO UPDATE SET mail_effects = $2`,
);

type Rows = Pick<Changing, 'rows'>;

/** Keeps an invitation until a member confirms it. */
export async function keepUnconfirmed(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  received: InvitationReceived,
): Promise<void> {
  await rows(put, [received.messageId, JSON.stringify(received), at]);
  await rows(dropOldest, []);
}

/** Takes a waiting invitation, which waits no longer; null for none. */
export async function takeUnconfirmed(
  { rows }: Rows,
  messageId: string,
): Promise<InvitationReceived | null> {
  const [found] = await rows(take, [messageId]);
  return found?.received ?? null;
}

/** True where mail has its effect whether or not it is authenticated. */
export async function anyMailHasEffect({ rows }: Rows): Promise<boolean> {
  const [found] = await rows(readRule, []);
  return found?.effects === 'any';
}

/** Sets which mail has its effect in the workspace. */
export async function setRule({ rows }: Rows, effects: MailEffects): Promise<void> {
  await rows(putRule, [effects]);
}
