import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { traceId } from '@postroom/tracing';

/** The levels a configuration may name, from the most to the least. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** A pino logger. `log.child({ service: 'mail' })` is the one of a service. */
export type Log = Logger;

export interface LogOptions {
  readonly level: LogLevel;
  /** `json`: a line of JSON an entry, for a collector. `plain`: for a person at a terminal. */
  readonly format: 'json' | 'plain';
  /** The destination; standard output by default, written before the call returns. */
  readonly to?: DestinationStream;
}

const causesMax = 5;

/**
 * The fields of an error that are logged, and no others: drivers attach the statement's parameters, the
 * offending row or the whole request to theirs, which are customers' data.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!Error.isError(error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  const deeper = cause !== undefined && depth < causesMax;
  return {
    type: name,
    message,
    ...code,
    stack,
    ...(deeper && { cause: describeError(cause, depth + 1) }),
  };
}

/**
 * Makes the log of a process. One a process, also where several Nest applications live in it:
 * Nest's own Logger is static, so the instance handed to the last application serves all of them.
 *
 * Levels are written as words, times as ISO 8601, an error under `err`; secrets are masked in the
 * finished line ({@link redactLine}). A line within a trace has its id.
 */
export function createLog({ level, format, to }: LogOptions): Log {
  const out = to ?? pino.destination({ dest: 1, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Undefined is not written.
      mixin: () => ({ traceId: traceId() }),
      serializers: { err: (error: unknown) => describeError(error) },
      hooks: { streamWrite: redactLine },
    },
    format === 'plain' ? plainLines(out) : out,
  );
}

const mask = '[redacted]';

/** Fields whose value is always a secret, at any depth, in any case. */
const secretNames = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-?key',
  'cookie',
  'set-cookie',
  'pass',
  'password',
  'passphrase',
  'private-?key',
  'secret',
  'token',
].join('|');

const jsonText = String.raw`"(?:[^"\\]|\\.)*"`;
const secretField = new RegExp(
  String.raw`("(?:${secretNames})":)(?:${jsonText}|\[(?:${jsonText},?)*\])`,
  'gi',
);

/** Secrets that are recognised by their form, in any field. */
const secretForms: readonly (readonly [RegExp, string])[] = [
  [/\bpr_(human|agent)_[0-9A-Za-z]+_[0-9A-Za-z]+/g, `pr_$1_${mask}`],
  [/\bwhsec_[\w+/=-]+/g, `whsec_${mask}`],
  [/\b(postroom_session=)[^;,\s"\\]+/g, `$1${mask}`],
  [/\b(Bearer|Basic) [\w.~+/=-]+/gi, `$1 ${mask}`],
  [/(:\/\/)[^\s/@"\\]+@/g, `$1${mask}@`],
];

/**
 * Masks the secrets of one log line: fields named like one (keys, cookies, authorization,
 * passwords), and texts of their form (API keys, webhook secrets, session cookies, bearer tokens,
 * credentials in a URL). The result is JSON as before. It works on the finished text, the one place that
 * sees everything: messages, stacks, nested objects, a foreign library's own fields.
 */
export function redactLine(line: string): string {
  let redacted = line.replace(secretField, `$1"${mask}"`);
  for (const [form, replacement] of secretForms) redacted = redacted.replace(form, replacement);
  return redacted;
}

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
const plainLines = (to: DestinationStream): DestinationStream => ({
  write(line: string): void {
    const entry: unknown = JSON.parse(line);
    to.write(isRecord(entry) ? toPlain(entry) : line);
  },
});
