import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

const isStack = (value: unknown): value is string =>
  typeof value === 'string' && /\n[\t ]+at /.test(value);

/**
 * Nest's logger over ours, for `NestFactory.create(module, { logger })`. Hand every application of
 * a process the same one. Nest gives a context as the last text and an error's stack as a text of
 * its own; both become fields, anything else goes under `data`.
 */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    if (!this.target.isLevelEnabled(level)) return;
    const given = rest.filter((one) => one !== undefined);
    const last = given.at(-1);
    const context = typeof last === 'string' && !isStack(last) ? { context: last } : {};
    const extras = 'context' in context ? given.slice(0, -1) : given;
    const text = typeof message === 'string' ? message : undefined;
    this.target[level](
      {
        ...context,
        ...fieldsOf(text === undefined ? [message, ...extras] : extras),
      },
      text,
    );
  }
}

/** The first error, the first stack, and whatever else was said, under names of their own. */
function fieldsOf(said: readonly unknown[]): object {
  const err = said.find((one) => Error.isError(one));
  const stack = said.find(isStack);
  const data = said.filter((one) => one !== err && one !== stack);
  return {
    ...(err !== undefined && { err }),
    ...(stack !== undefined && { stack }),
    ...(data.length > 0 && { data }),
  };
}
