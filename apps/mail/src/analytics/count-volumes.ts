import type { CountMailVolumes, MailVolumes, MessageVolumes } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const kinds = [
  ...(['created', 'archived', 'reopened'] as const),
  ...(['received', 'sent', 'comments', 'drafts'] as const),
] as const;

type Volumes = Readonly<Record<(typeof kinds)[number], number>>;

/** Volumes of one day, of one mailbox, or, with neither, of all. */
interface Counted extends Volumes {
  readonly day: string | null;
  readonly mailbox: string | null;
}

// Floats, which come as numbers: those of integers are exact far beyond any volume. The sums of all
// are there, null, also where there is nothing to sum.
const countedVolumes = statement<Counted>(
  'analytics.volumes',
  `SELECT to_char(day, 'YYYY-MM-DD') AS day, mailbox,
     ${kinds.map((kind) => `coalesce(${kind}, 0)::float8 AS ${kind}`).join(', ')}
   FROM volumes_of($1, $2, $3, $4)`,
);

const openConversations = statement<{ open: number }>(
  'analytics.open_conversations',
  'SELECT count_open_conversations($1)::float8 AS open',
);

const nothing: Volumes = {
  created: 0,
  archived: 0,
  reopened: 0,
  received: 0,
  sent: 0,
  comments: 0,
  drafts: 0,
};

/** The mail service's share of a summary: the whole workspace, and the mailboxes of the key. */
export async function countVolumes(
  { rows, caller }: Reading,
  { from, to, timeZone }: CountMailVolumes,
): Promise<MailVolumes> {
  const [counted, [conversations]] = await Promise.all([
    rows(countedVolumes, [from, to, timeZone]),
    rows(openConversations, []),
  ]);
  const all = counted.find(({ day, mailbox }) => day === null && mailbox === null) ?? nothing;
  const { created, archived, reopened, comments, drafts } = all;
  const byDay = new Map(counted.map((one) => [one.day, one]));
  const byMailbox = new Map(counted.map((one) => [one.mailbox, one]));
  const granted = caller.type === 'key' ? Object.keys(caller.grants).sort() : [];
  return {
    conversations: { created, archived, reopened, open: conversations?.open ?? 0 },
    messages: messagesOf(all),
    comments,
    drafts: { created: drafts },
    byDay: daysOf(from, to).map((date) => dayVolumes(date, byDay.get(date) ?? nothing)),
    byMailbox: granted.map((mailbox) => ({
      mailbox,
      ...messagesOf(byMailbox.get(mailbox) ?? nothing),
    })),
  };
}

const dayVolumes = (date: string, volumes: Volumes): MailVolumes['byDay'][number] => ({
  date,
  ...messagesOf(volumes),
  newConversations: volumes.created,
});

const messagesOf = ({ received, sent }: Volumes): MessageVolumes => ({ received, sent });

const dayMs = 86_400_000;

/** Every day of a period, in order. Days of the calendar, counted in UTC, where each has 24 hours. */
function daysOf(from: string, to: string): string[] {
  const first = Date.parse(from);
  const count = (Date.parse(to) - first) / dayMs + 1;
  return Array.from({ length: count }, (_, i) =>
    new Date(first + i * dayMs).toISOString().slice(0, 10),
  );
}
