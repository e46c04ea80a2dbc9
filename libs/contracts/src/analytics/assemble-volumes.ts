import type { VolumeCount } from './counts.js';
import type { AnalyticsPeriod, Volumes } from './volumes.js';

const dayMs = 86_400_000;

/** The volumes of a period from the counts of all services, by mailbox those of the given addresses. */
export function assembleVolumes(
  counts: readonly VolumeCount[],
  period: AnalyticsPeriod,
  mailboxes: readonly string[],
): Volumes {
  const amounts = new Map(counts.map((count) => [keyOf(count), count.amount]));
  const amount = (place: Omit<VolumeCount, 'amount'>): number => amounts.get(keyOf(place)) ?? 0;
  const all = (kind: VolumeCount['kind']): number => amount({ kind, day: null, scope: null });
  const messages = (place: Pick<VolumeCount, 'day' | 'scope'>) => ({
    received: amount({ kind: 'messages.received', ...place }),
    sent: amount({ kind: 'messages.sent', ...place }),
  });
  return {
    period,
    conversations: {
      created: all('conversations.created'),
      archived: all('conversations.archived'),
      reopened: all('conversations.reopened'),
      open: all('conversations.open'),
    },
    messages: messages({ day: null, scope: null }),
    comments: all('comments'),
    drafts: { created: all('drafts.created') },
    contacts: { created: all('contacts.created') },
    events: { created: all('events.created') },
    tasks: { created: all('tasks.created'), completed: all('tasks.completed') },
    approvals: {
      pending: all('approvals.pending'),
      approved: all('approvals.approved'),
      rejected: all('approvals.rejected'),
    },
    byDay: daysOf(period).map((date) => ({
      date,
      ...messages({ day: date, scope: null }),
      newConversations: amount({ kind: 'conversations.created', day: date, scope: null }),
    })),
    byMailbox: mailboxes.map((mailbox) => ({
      mailbox,
      ...messages({ day: null, scope: mailbox }),
    })),
  };
}

const keyOf = ({ kind, day, scope }: Omit<VolumeCount, 'amount'>): string =>
  JSON.stringify([kind, day, scope]);

/** Every day of a period, in order. Days of the calendar, counted in UTC, where each has 24 hours. */
function daysOf({ from, to }: AnalyticsPeriod): string[] {
  const first = Date.parse(from);
  const count = (Date.parse(to) - first) / dayMs + 1;
  return Array.from({ length: count }, (_, i) =>
    new Date(first + i * dayMs).toISOString().slice(0, 10),
  );
}
