import { BusUnavailable, type EmitResult, type EventRecord, UnknownEventType } from './bus.js';
import { outgoingGroup, type OutgoingGroup, type OutgoingType } from '@postroom/contracts';
import { MalformedEnvelope, recordVersion, type BusRecord } from './bus-record.js';

/** The key within which events are ordered. */
export const eventKey = ({ tenantId, resource }: Pick<EventRecord, 'tenantId' | 'resource'>) =>
  `${tenantId}/${resource}`;

/** @throws UnknownEventType */
export function groupOf({ type }: Pick<EventRecord, 'type'>): OutgoingGroup {
  const group = outgoingGroup(type);
  if (!group) throw new UnknownEventType(type);
  return group;
}

export const encodeEvent = ({
  id,
  type,
  tenantId,
  resource,
  envelope,
  traceparent,
}: EventRecord): BusRecord => ({
  headers: {
    version: recordVersion,
    id,
    type,
    tenant: tenantId,
    resource,
    ...(traceparent && { traceparent }),
  },
  value: Buffer.from(envelope),
});

/** @throws MalformedEnvelope for another version, a type outside the list, or no JSON. */
export function decodeEvent({ headers, value }: BusRecord): EventRecord {
  const { version, id, type, tenant, resource } = headers;
  if (version !== recordVersion)
    throw new MalformedEnvelope(`event version ${version ?? 'missing'}`);
  if (id === undefined || tenant === undefined || resource === undefined) {
    throw new MalformedEnvelope('event without id, tenant or resource');
  }
  if (type === undefined || !isEventType(type)) {
    throw new MalformedEnvelope(`event of unknown type ${type ?? 'missing'}`);
  }
  const envelope = value.toString();
  try {
    JSON.parse(envelope);
  } catch (cause) {
    throw new MalformedEnvelope('event that is no JSON', { cause });
  }
  return { id, type, tenantId: tenant, resource, envelope, ...traceOf(headers) };
}

const traceOf = ({ traceparent }: BusRecord['headers']) =>
  traceparent === undefined ? {} : { traceparent };

const isEventType = (type: string): type is OutgoingType => outgoingGroup(type) !== undefined;

/** The result of emitting events, from the outcome of each one. */
export function emitResult(
  events: readonly EventRecord[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): EmitResult {
  const stored = events.filter((_, at) => outcomes[at]?.status === 'fulfilled');
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  return { stored: stored.map(({ id }) => id), failure: failed ? failureOf(failed.reason) : null };
}

const failureOf = (cause: unknown): BusUnavailable =>
  cause instanceof BusUnavailable ? cause : new BusUnavailable('no-broker', { cause });
