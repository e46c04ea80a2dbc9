import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { traceId } from '@postroom/tracing';
import { plainLines } from './plain-lines.js';
import { redactLine } from './redact.js';

/** The levels a configuration may name, from the most to the least. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** A pino logger. `log.child({ service: 'mail' })` is the one of a service. */
export type Log = Logger;

export interface LogOptions {
  readonly level: LogLevel;
  /** `json`: a line of JSON an entry, for a collector. `plain`: for a person at a terminal. */
  readonly format: 'json' | 'plain';
  /** Where lines go; standard output by default, written before the call returns. */
  readonly to?: DestinationStream;
}

const causesMax = 5;

/**
 * What a log says of an error. Only these fields: drivers hang the statement's parameters, the
 * offending row or the whole request on theirs, and those are other people's data.
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
 * finished line (see redact.ts). What is said in a trace has its id.
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
