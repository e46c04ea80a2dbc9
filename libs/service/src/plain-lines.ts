import type { DestinationStream } from 'pino';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asText = (value: unknown): string =>
  typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value);

/** `10:31:05.123 WARN  [mail Importer] message field=value`, an error's stack on lines below. */
function toPlain(entry: Record<string, unknown>): string {
  const { time, level, service, context, msg, err, ...fields } = entry;
  const origin = [service, context].filter((part) => typeof part === 'string').join(' ');
  const stack = isRecord(err) ? err['stack'] : undefined;
  const parts = [
    String(time).slice(11, 23),
    String(level).toUpperCase().padEnd(5),
    ...(origin ? [`[${origin}]`] : []),
    ...(typeof msg === 'string' ? [msg] : []),
    ...Object.entries(fields).map(([name, value]) => `${name}=${asText(value)}`),
  ];
  return `${parts.join(' ')}${typeof stack === 'string' ? `\n  ${stack}` : ''}\n`;
}

/** A destination that turns pino's JSON lines into lines for a person. */
export const plainLines = (to: DestinationStream): DestinationStream => ({
  write(line: string): void {
    const entry: unknown = JSON.parse(line);
    to.write(isRecord(entry) ? toPlain(entry) : line);
  },
});
