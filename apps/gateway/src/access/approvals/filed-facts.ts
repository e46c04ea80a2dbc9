import type { KeyCaller } from '@postroom/access';
import { conversations, type Operation } from '@postroom/contracts';
import type { Changing, Preview } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { withLocalTimes } from './readable-times.js';
import { summaryOf } from './summary.js';

/** A write of an agent that waits for a person, after every check but the operation's own. */
export interface FiledWrite {
  readonly operation: Operation;
  readonly caller: KeyCaller;
  readonly input: object;
  readonly idempotencyKey: string;
  /** The key was made of the call itself. */
  readonly keyIsDerived?: boolean | undefined;
  /** The program that asks, as it names itself. */
  readonly client?: string | undefined;
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A write as it would be filed. */
export interface Filing {
  readonly payload: string;
  readonly payloadHash: string;
  readonly preview: Preview;
  readonly expiresAt: Date;
}

const workspaceZone = statement<{ timeZone: string }>(
  'access.workspace_zone',
  'SELECT time_zone AS "timeZone" FROM tenants WHERE tenant_id = $1',
);

/** The zone in which a workspace is shown times. */
export async function zoneOfWorkspace(rows: Changing['rows']): Promise<string> {
  return (await rows(workspaceZone, []))[0]?.timeZone ?? 'UTC';
}

/** The values of a new approval after its id. */
export function factsOf(
  write: FiledWrite,
  { payload, payloadHash, preview, expiresAt }: Filing,
  at: Date,
  timeZone: string,
): readonly unknown[] {
  const { caller, operation, input, requestId } = write;
  const { target, within, title } = preview;
  const summary = summaryOf({ operation, input, title, timeZone, exists: target !== null });
  const difference = shownDifference(write, preview, timeZone);
  return [
    ...[caller.keyId, caller.name, operation.id, summary, payload, payloadHash],
    ...[target?.type, target?.id, target?.version, JSON.stringify(difference)],
    ...[within?.type, within?.id, caller.source === 'mcp' ? 'mcp' : 'rest', write.client],
    ...[write.idempotencyKey, requestId, at, expiresAt],
  ];
}

/** The difference as a person judges it: with readable times, and the text of a comment, which changes no field. */
export function shownDifference(
  { operation, input }: Pick<FiledWrite, 'operation' | 'input'>,
  { difference: { before, after } }: Preview,
  timeZone: string,
): Preview['difference'] {
  const isComment = operation.id === conversations.comment.id;
  const text = isComment ? { comment: Reflect.get(input, 'text') as unknown } : {};
  return {
    before: withLocalTimes(before, timeZone),
    after: after && { ...withLocalTimes(after, timeZone), ...text },
  };
}
