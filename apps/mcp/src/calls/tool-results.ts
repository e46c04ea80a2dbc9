import { isRecord, type JsonObject } from '../json-rpc/index.js';
import { untrustedStructure, visibleValue, type Presented } from '../results/index.js';

const content = (text: string) => [{ type: 'text', text }];

/** The result of a call that was done. */
export function successResult({ text, structured, meta }: Presented, headers: JsonObject): object {
  const outcome = headers['x-svc-idempotency'];
  const all = {
    ...meta,
    ...(typeof outcome === 'string' && { 'postroom/idempotency': outcome }),
  };
  return {
    content: content(text),
    structuredContent: structured,
    isError: false,
    ...(Object.keys(all).length > 0 && { _meta: all }),
  };
}

/** The result of a write that waits for a person. */
export function filedResult(body: JsonObject): object {
  const approval = visibleValue(body['approval']) as JsonObject;
  const text =
    `Filed for review as ${String(approval['id'])}: nothing has been written. A person of the workspace decides ` +
    `until ${String(approval['expiresAt'])}. Tell the user so. Do not try again with other arguments: the very ` +
    'same call, later, answers how the review stands or what was written.';
  return {
    content: content(text),
    // What would be overwritten is in the approval, and may be a stranger's.
    structuredContent: { approvalRequired: true, approval },
    isError: false,
    _meta: untrustedStructure,
  };
}

/** The result of a call that the operation refused. */
export function errorResult(text: string, structured: JsonObject): object {
  return { content: content(text), structuredContent: structured, isError: true };
}

/** What became of a write that people decided about. */
export function closedResult(approval: unknown): object | null {
  if (!isRecord(approval)) return null;
  const shown = visibleValue(approval) as JsonObject;
  const { state, decidedBy, comment } = shown;
  const by = typeof decidedBy === 'string' ? ` (${decidedBy})` : '';
  const says = typeof comment === 'string' && comment !== '' ? `, saying: ${comment}` : '.';
  const text = `Nothing was written: the review of this call ended as ${String(state)}${by}${says}`;
  return {
    ...errorResult(text, { approval: shown, error: { code: 'APPROVAL_CLOSED' } }),
    _meta: untrustedStructure,
  };
}
