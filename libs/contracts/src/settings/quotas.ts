import { Count, Part } from '../fields/index.js';
import { Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';
import { Problem } from '../problems.js';

const countMax = Number.MAX_SAFE_INTEGER;

/** How much of something a workspace may have, and has. */
export class Quota {
  @Count('How much it may have.', { max: countMax })
  limit!: number;

  @Count('How much it has.', { max: countMax })
  used!: number;
}

/** What the mail service counts. */
export class MailQuotas {
  @Part(() => Quota, 'Mailboxes.')
  mailboxes!: Quota;

  @Part(() => Quota, 'Drafts.')
  drafts!: Quota;

  @Part(() => Quota, 'Bytes of messages, as they came or left, and of files of drafts.')
  storedBytes!: Quota;

  @Part(() => Quota, 'Bytes of mail that arrived today (UTC); of imports none.')
  arrivingBytes!: Quota;
}

/** Quotas of a workspace (`decisions.md` §11). */
export class Quotas extends MailQuotas {
  @Part(() => Quota, 'Keys that are not revoked.')
  keys!: Quota;

  @Part(() => Quota, 'Members.')
  members!: Quota;
}

/** What a workspace has a quota of. */
export type QuotaName = keyof Quotas;

const words: Readonly<Record<QuotaName, { readonly fr: string; readonly en: string }>> = {
  keys: { fr: 'clés', en: 'keys' },
  members: { fr: 'membres', en: 'members' },
  mailboxes: { fr: 'boîtes', en: 'mailboxes' },
  drafts: { fr: 'brouillons', en: 'drafts' },
  storedBytes: { fr: 'octets conservés', en: 'bytes stored' },
  arrivingBytes: { fr: 'octets reçus aujourd’hui', en: 'bytes that arrived today' },
};

/** The refusal of what would exceed a quota; it says how much there is, and may be. */
export function quotaExceeded(quota: QuotaName, { limit, used }: Quota): Problem {
  const { fr, en } = words[quota];
  const message = { fr: `${fr} : ${used} sur ${limit}`, en: `${en}: ${used} of ${limit}` };
  return new Problem('QUOTA_EXCEEDED', { violations: [{ field: '', message }] });
}

/** Input of the question. */
export class ReadMailQuotas extends Nothing {}

/** What the gateway asks of the mail service, for the settings of a workspace. */
export const mailQuotas = family(
  'mail',
  'mailQuotas',
  {
    read: operation({
      http: 'GET /services/mail/quotas',
      effect: 'read',
      summary: 'Say how much of its quotas a workspace has used',
      input: ReadMailQuotas,
      output: MailQuotas,
    }),
  },
  { audience: 'service' },
);
