import type { Log, LogLevel } from '@postroom/service';

/** A line of a thread's log, as `createLog` writes it. */
interface LogLine {
  readonly level: Exclude<LogLevel, 'silent'>;
  readonly time: string;
  readonly msg?: string;
  readonly err?: LoggedError;
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError | string;
}

/** Writes a line of a thread's log to the log of the process, with that log's own fields and format. */
export function forwardLogLine(log: Log, line: string): void {
  const { level, time: _time, msg, err, ...fields } = JSON.parse(line) as LogLine;
  log[level]({ ...fields, ...(err && { err: errorOf(err) }) }, msg);
}

/** The error of a line as an Error again, which the log knows how to write. */
function errorOf({ type, message, cause, ...rest }: LoggedError): Error {
  const deeper = typeof cause === 'object' ? errorOf(cause) : cause;
  return Object.assign(new Error(message), {
    ...rest,
    name: type,
    ...(deeper !== undefined && { cause: deeper }),
  });
}
