import type { JsonObject } from '../json-rpc/index.js';
import { fenced, fenceFor, untrustedMeta } from './fence.js';
import { visibleValue } from './visible-value.js';

/** What a tool's result says, and how. */
export interface Presented {
  readonly text: string;
  readonly structured: JsonObject;
  readonly meta?: JsonObject;
}

/** An answer that the workspace's own people wrote. */
export function ordinaryResult(answer: JsonObject): Presented {
  const structured = withIsoTimes(visibleValue(answer) as JsonObject);
  return { text: JSON.stringify(structured), structured };
}

/** An answer that may hold a stranger's words. */
export function untrustedResult(answer: JsonObject): Presented {
  return untrusted(visibleValue(answer) as JsonObject);
}

/** A value that has lost what is invisible, presented behind a fence. */
export function untrusted(value: JsonObject): Presented {
  const structured = withIsoTimes(value);
  const content = JSON.stringify(structured);
  const fence = fenceFor(content);
  return { text: fenced(fence, content), structured, meta: untrustedMeta(fence) };
}

/** Times that a model would have to compute, and be wrong by a year. */
const millisecondFields = ['startMs', 'endMs', 'dueMs'] as const;

/** Says the times of an event or a task in ISO 8601 too. */
function withIsoTimes(answer: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, withTimesOf(value)]),
  );
}

function withTimesOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const times = millisecondFields.flatMap((field): [string, string][] => {
    const ms: unknown = Reflect.get(value, field);
    return typeof ms === 'number' && Math.abs(ms) <= 8.64e15
      ? [[field.replace('Ms', 'Iso'), new Date(ms).toISOString()]]
      : [];
  });
  return { ...value, ...Object.fromEntries(times) };
}
