import { coversEvents, needOfEvents, readableEventTypes, type KeyCaller } from '@postroom/access';
import {
  eventGroup,
  eventSummary,
  occurrenceSchema,
  placeOf,
  type FeedPlace,
  rpcCodes,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { invalidParams, RpcError } from '../json-rpc.js';
import { isRecord, type JsonObject } from '../json.js';

/** Types whose names say less. */
const descriptions: Readonly<Record<string, string>> = {
  'conversation.received': 'A mail has arrived in a mailbox.',
  'conversation.assigned': 'A conversation was given to somebody, or its status has changed.',
  'conversation.labeled': 'The labels of a conversation have changed.',
  'conversation.commented': 'A member or a key has commented on a conversation.',
  'message.sent': 'A mail was sent from a mailbox.',
  'integration.test': 'Somebody tests whether events arrive.',
};

const isOfMailbox = (type: string): boolean => eventGroup(type) === 'messaging';

const mailboxArgument = {
  mailbox: { type: 'string', description: 'The address of one mailbox; absent: all of yours.' },
};

/** The event types that a key may be able to read, as `events/list` shows them. */
export const eventTypes: readonly JsonObject[] = readableEventTypes.map((name) => ({
  name,
  description: descriptions[name] ?? eventSummary(name),
  delivery: ['poll', 'push', 'webhook'],
  inputSchema: {
    type: 'object',
    properties: isOfMailbox(name) ? mailboxArgument : {},
    additionalProperties: false,
  },
  payloadSchema: occurrenceSchema,
}));

/** The events that a client wants to be told of. */
export interface AskedEvents {
  readonly caller: KeyCaller;
  readonly type: string;
  /** In lower case; null: any. */
  readonly mailbox: string | null;
}

/**
 * The events that a request is about, which its key may see.
 * @throws RpcError NotFound, InvalidParams, Forbidden
 */
export function askedEvents({ caller }: Reading, params: JsonObject): AskedEvents {
  const { name: type, arguments: given = {} } = params;
  const need = typeof type === 'string' ? needOfEvents(type) : null;
  if (typeof type !== 'string' || need === null)
    throw new RpcError(rpcCodes.notFound, 'There is no such event type.', { kind: 'event' });
  const mailbox = mailboxIn(given, type);
  if (caller.type !== 'key' || !coversEvents(caller, type)) {
    const { scope, member } = need;
    throw new RpcError(
      rpcCodes.forbidden,
      `The key needs the scope ${scope}${member ? ' and a member' : ''}.`,
      {
        requiredScope: scope,
      },
    );
  }
  if (mailbox !== null && !Object.hasOwn(caller.grants, mailbox))
    throw new RpcError(rpcCodes.forbidden, 'The key has no right to this mailbox.', {
      reason: 'MAILBOX_FORBIDDEN',
    });
  return { caller, type, mailbox };
}

function mailboxIn(given: unknown, type: string): string | null {
  if (!isRecord(given)) throw invalidParams('`arguments` must be an object.');
  const { mailbox = null, ...unknown } = given;
  const isKnown = mailbox === null || (typeof mailbox === 'string' && isOfMailbox(type));
  if (!isKnown || Object.keys(unknown).length > 0)
    throw invalidParams('`arguments` do not match the `inputSchema` of the event type.');
  return mailbox === null ? null : mailbox.toLowerCase();
}

/**
 * The place of a cursor; null for the present end.
 * @throws RpcError for a cursor that this key was not given
 */
export function placeIn({ caller }: AskedEvents, cursor: unknown): FeedPlace | null {
  if (cursor == null) return null;
  const place = typeof cursor === 'string' ? placeOf(caller.keyId, cursor) : null;
  if (!place) throw invalidParams('`cursor` is none that this key was given.');
  return place;
}

/** A number of a request; undefined where it is absent. @throws RpcError */
export function countIn(params: JsonObject, name: string): number | undefined {
  const value = params[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalidParams(`\`${name}\` must be a whole number.`);
}
