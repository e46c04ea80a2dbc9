import { Injectable } from '@nestjs/common';
import { presence, Problem, type Presence, type SetPresence } from '@postroom/contracts';
import { SlidingWindow } from '@postroom/limits';
import { handlers, type Reading } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import { rates } from '../limits.js';
import { Decisions } from './approvals/decisions.js';
import type { ToldPresence } from './stream-log.js';
import { Visibility } from './visibility.js';

/** A member who sends nothing for so long is gone. */
const lastsMs = 30_000;

const notify = statement<object>('access.tell_presence', `SELECT pg_notify('presence', $1)`);

/** Publishes presences to streams by a notification: none is stored. */
@Injectable()
export class Presences {
  private readonly told = new SlidingWindow(rates.presences);

  constructor(
    private readonly database: Database,
    private readonly visibility: Visibility,
    private readonly decisions: Decisions,
  ) {}

  /** @throws Problem RATE_LIMITED, and of what the member may not see */
  async tell(context: Reading, input: SetPresence): Promise<void> {
    const { caller, tenantId } = context;
    if (caller.type !== 'member') throw new Problem('UNAUTHENTICATED');
    const { memberId: id, name } = caller;
    const { allowed, resetSeconds } = this.told.take(id);
    if (!allowed)
      throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(resetSeconds) } });
    const { resource, within } = await this.placeOf(context, input);
    const { mailbox, state } = input;
    const until = new Date(Date.now() + (state === 'gone' ? 0 : lastsMs)).toISOString();
    const told: ToldPresence = {
      ...{ tenantId, within },
      presence: { resource, mailbox, by: { id, name }, state, until },
    };
    await this.database.rows(notify, [JSON.stringify(told)], tenantId);
  }

  private async placeOf(
    context: Reading,
    { conversationId, approvalId, mailbox }: SetPresence,
  ): Promise<Pick<Presence, 'resource'> & Pick<ToldPresence, 'within'>> {
    const ofMailbox = { withinType: 'mailbox', withinId: mailbox } as const;
    const [visible] = await this.visibility.shownByOwners(context, [ofMailbox]);
    if (!visible) throw new Problem('MAILBOX_FORBIDDEN');
    if (approvalId !== undefined) {
      const { withinType: type, withinId } = await this.decisions.find(context, approvalId);
      const within = type === null || withinId === null ? null : { type, id: withinId };
      return { resource: { type: 'approval', id: approvalId }, within };
    }
    const id = conversationId ?? '';
    const within = { type: 'conversation', id } as const;
    const place = { withinType: within.type, withinId: id };
    const [seen] = await this.visibility.shownByOwners(context, [place]);
    if (!seen) throw new Problem('CONVERSATION_NOT_FOUND');
    return { resource: within, within };
  }
}

/** Publishes what members look at. */
export const PresenceHandlers = handlers(presence, [Presences], (presences) => ({
  set: async (context, input) => {
    await presences.tell(context, input);
    return { ok: true };
  },
}));
