import { Injectable } from '@nestjs/common';
import type { KeyCaller } from '@postroom/access';
import {
  eventCursor,
  mailboxOf,
  newId,
  occurrenceOf,
  shownEvents,
  type EventJudgement,
  type FeedEvent,
} from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import type { ClaimedDelivery } from './claims.js';

/** A slow gateway is asked again later: the attempt still has to fit into its lease. */
const timeoutMs = 3_000;

/** A delivery to the agent of a key. */
export type KeyDelivery = ClaimedDelivery & { readonly key_id: string; readonly envelope: string };

export const isOfKey = (delivery: ClaimedDelivery): delivery is KeyDelivery =>
  delivery.key_id !== null && delivery.envelope !== null && !delivery.cut;

/** The body of a delivery to an agent. */
export function occurrenceBodyOf({
  envelope,
  key_id: keyId,
  cursor_event: event,
}: KeyDelivery): string {
  const cursor = eventCursor(keyId, { event, atMs: Date.now() });
  return JSON.stringify(occurrenceOf(JSON.parse(envelope) as FeedEvent, cursor));
}

/** Asks the gateway what a key may see now, before each attempt to post something to its agent. */
@Injectable()
export class KeyDeliveries {
  constructor(private readonly operations: OperationClient) {}

  /** @returns null where the gateway does not say */
  async judge(delivery: KeyDelivery): Promise<EventJudgement['verdict'] | null> {
    const { tenant_id: tenantId, key_id: keyId, envelope } = delivery;
    const event = JSON.parse(envelope) as FeedEvent;
    const asking: KeyCaller = {
      ...{ type: 'key', tenantId, source: 'mcp', keyId, name: '', kind: 'agent' },
      ...{ approval: 'required', scopes: [], grants: {}, member: null, admin: false },
    };
    const { bookId, calendarId } = event.data;
    const input = {
      ...{ type: event.type, mailbox: mailboxOf(event), resource: event.resource },
      data: { bookId, calendarId },
    };
    const options = { requestId: newId('req'), timeoutMs };
    const reply = await this.operations
      .call(shownEvents.judge, asking, input, options)
      .catch(() => null);
    if (reply === null || reply.problem !== null) return null;
    return (JSON.parse(reply.body.toString()) as EventJudgement).verdict;
  }
}
