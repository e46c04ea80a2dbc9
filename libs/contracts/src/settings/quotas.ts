import { Count, ListOf, OneOf, Part } from '../fields/index.js';
import { Problem } from '../problems.js';

const countMax = Number.MAX_SAFE_INTEGER;

/** Limit and use of something in a workspace. */
export class Quota {
  @Count('How much it may have.', { max: countMax })
  limit!: number;

  @Count('How much it has.', { max: countMax })
  used!: number;
}

/** Quotas of a workspace (`decisions.md` §11). */
export class Quotas {
  @Part(() => Quota, 'Keys that are not revoked.')
  keys!: Quota;

  @Part(() => Quota, 'Members.')
  members!: Quota;

  @Part(() => Quota, 'Mailboxes.')
  mailboxes!: Quota;

  @Part(() => Quota, 'Drafts.')
  drafts!: Quota;

  @Part(
    () => Quota,
    'Bytes of messages, as they came or left, of files of drafts, of approvals, and of the answers and events that writes leave for a while.',
  )
  storedBytes!: Quota;

  @Part(() => Quota, 'Bytes of mail that arrived today (UTC); of imports none.')
  arrivingBytes!: Quota;

  @Part(() => Quota, 'Comments.')
  comments!: Quota;

  @Part(() => Quota, 'Contacts of all address books, those that were merged into others included.')
  contacts!: Quota;

  @Part(() => Quota, 'Events of all calendars; one that repeats is one.')
  events!: Quota;

  @Part(() => Quota, 'Tasks, done ones included.')
  tasks!: Quota;
}

/** Things that a workspace has a quota of. */
export type QuotaName = keyof Quotas;

/** `recordedBytes` is of one key or member. */
type Bounded = QuotaName | 'recordedBytes';

const words: Readonly<Record<Bounded, { readonly fr: string; readonly en: string }>> = {
  keys: { fr: 'clés', en: 'keys' },
  members: { fr: 'membres', en: 'members' },
  mailboxes: { fr: 'boîtes', en: 'mailboxes' },
  drafts: { fr: 'brouillons', en: 'drafts' },
  storedBytes: { fr: 'octets conservés', en: 'bytes stored' },
  arrivingBytes: { fr: 'octets reçus aujourd’hui', en: 'bytes that arrived today' },
  recordedBytes: {
    fr: 'octets de réponses et d’événements aujourd’hui',
    en: 'bytes of answers and events today',
  },
  comments: { fr: 'commentaires', en: 'comments' },
  contacts: { fr: 'contacts', en: 'contacts' },
  events: { fr: 'événements', en: 'events' },
  tasks: { fr: 'tâches', en: 'tasks' },
};

/** The refusal of what would exceed a quota; it says how much there is, and may be. */
export function quotaExceeded(quota: Bounded, { limit, used }: Quota): Problem {
  const { fr, en } = words[quota];
  const message = { fr: `${fr} : ${used} sur ${limit}`, en: `${en}: ${used} of ${limit}` };
  return new Problem('QUOTA_EXCEEDED', { violations: [{ field: '', message }] });
}

export const quotaNames = Object.keys(words).filter(
  (name): name is QuotaName => name !== 'recordedBytes',
);

/** A quota of what a service keeps. */
export class NamedQuota extends Quota {
  @OneOf(quotaNames, 'What it is of.')
  name!: QuotaName;
}

/** The quotas of what a service keeps. */
export class ServiceQuotas {
  @ListOf(() => NamedQuota, 'Each of them.', { max: quotaNames.length })
  quotas!: NamedQuota[];
}
