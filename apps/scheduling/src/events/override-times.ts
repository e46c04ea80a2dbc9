import type { EventOverride } from '@postroom/contracts';

/** When a changed occurrence takes place. */
export function timesOf(
  {
    occurrenceStartMs,
    startMs = occurrenceStartMs,
    endMs,
  }: Pick<EventOverride, 'occurrenceStartMs' | 'startMs' | 'endMs'>,
  durationMs: number,
): { readonly startMs: number; readonly endMs: number } {
  return { startMs, endMs: endMs ?? startMs + durationMs };
}
