import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLog, type LogLevel, type LogOptions, redactLine } from './log.js';
import { Logger } from '@nestjs/common';
import { NestLog } from './nest-log.js';

const names = ['authorization', 'X-Api-Key', 'cookie', 'set-cookie', 'password', 'apiKey', 'token'];
const hidden = 'the one secret';

describe('a log line', () => {
  it('shows no field that is named like a secret, at any depth, and stays JSON', () => {
    const secret = fc.string({ unit: 'binary' }).map((text) => hidden + text);
    const field = fc.tuple(fc.constantFrom(...names), fc.oneof(secret, fc.array(secret)));
    fc.assert(
      fc.property(fc.jsonValue(), field, fc.string(), (value, [name, kept], outer) => {
        const line = JSON.stringify({ msg: 'x', [`_${outer}`]: [{ [name]: kept, value }] });
        const redacted = redactLine(line);
        expect(redacted).not.toContain(hidden);
        expect(() => void JSON.parse(redacted)).not.toThrow();
      }),
    );
  });

  it.each([
    ['an API key', `pr_human_01J8ZQ4YV6X7W8N5T3R2Q1P0MK_${'a'.repeat(49)}`, 'a'.repeat(49)],
    ['a webhook secret', 'whsec_c2VjcmV0c2VjcmV0+/c2VjcmV0=', 'c2Vj'],
    ['a session cookie', 'a=b; postroom_session=SESSIONTOKEN; c=d', 'SESSIONTOKEN'],
    ['a bearer token', 'Authorization: Bearer eyJ.abc-_~.x', 'eyJ'],
    ['credentials in a URL', 'connect postgres://postroom:hunter2@localhost:5432/x', 'hunter2'],
  ])('shows no %s inside a message', (_what, text, secret) => {
    const redacted = redactLine(JSON.stringify({ msg: `failed: ${text}.` }));
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain('[redacted]');
    expect(JSON.parse(redacted)).toHaveProperty('msg');
  });

  it('keeps everything else as it is', () => {
    const line = JSON.stringify({
      level: 'info',
      operation: 'mail.drafts.create',
      pageToken: null,
      to: 'someone@example.org',
      url: 'https://example.org/a@b',
      msg: 'said "password" twice',
    });
    expect(redactLine(line)).toBe(line);
  });
});

function opened(level: LogLevel = 'trace', format: LogOptions['format'] = 'json') {
  const lines: string[] = [];
  const log = createLog({ level, format, to: { write: (line) => void lines.push(line) } });
  const entries = (): unknown[] => lines.map((line): unknown => JSON.parse(line));
  return { log, lines, entries };
}

describe('the log', () => {
  it('writes a line of JSON an entry, with the level as a word and the time in ISO 8601', () => {
    const { log, lines, entries } = opened();
    log.child({ service: 'mail' }).info({ operation: 'mail.drafts.create' }, 'done');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(entries()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        service: 'mail',
        operation: 'mail.drafts.create',
        msg: 'done',
      },
    ]);
  });

  it('says nothing below its level', () => {
    const { log, lines } = opened('warn');
    log.info('quiet');
    log.warn('heard');
    expect(lines).toHaveLength(1);
    const silent = opened('silent');
    silent.log.fatal('nothing');
    expect(silent.lines).toHaveLength(0);
  });

  it('masks secrets wherever they stand', () => {
    const { log, lines } = opened();
    const key = `pr_agent_01J8ZQ4YV6X7W8N5T3R2Q1P0MK_${'s'.repeat(49)}`;
    log.warn({ headers: { 'x-api-key': key, cookie: 'a=ssss' } }, `refused ${key}`);
    log.error(new Error(`no such key ${key}`), 'failed');
    expect(lines.join('')).not.toContain('ssss');
    expect(lines).toHaveLength(2);
  });

  it('tells of an error its type, message, code, stack and causes, and none of its other fields', () => {
    const { log, lines, entries } = opened();
    const cause = Object.assign(new Error('duplicate'), { code: '23505', parameters: ['private'] });
    log.error(new TypeError('could not save', { cause }));
    expect(entries()).toMatchObject([
      {
        msg: 'could not save',
        err: {
          type: 'TypeError',
          stack: expect.stringContaining('log.spec'),
          cause: { type: 'Error', message: 'duplicate', code: '23505' },
        },
      },
    ]);
    expect(lines.join('')).not.toContain('private');
  });

  it('ends in a chain of causes that turns back on itself', () => {
    const { log, lines } = opened();
    const error = new Error('around');
    error.cause = error;
    log.error(error);
    expect(lines).toHaveLength(1);
  });

  it('is readable by a person when that is wanted', () => {
    const { log, lines } = opened('trace', 'plain');
    log.child({ service: 'mail' }).warn({ tries: 3, path: 'a b' }, 'slow start');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}\[mail\] slow start tries=3 path="a b"\n$/,
    );
    log.error(new Error('broken'));
    expect(lines[1]).toMatch(/ERROR broken\n {2}Error: broken\n {4}at /);
  });
});

describe('the log under Nest', () => {
  it('carries message, context, error and stack as fields', () => {
    const { log, entries } = opened();
    const nest = new NestLog(log);
    nest.log('started', 'Bootstrap');
    nest.error('failed', 'Error: x\n    at y', 'Worker');
    nest.error(new Error('boom'), undefined, 'Worker');
    nest.warn({ queue: 'mail', password: 'x' }, 'Bus');
    expect(entries()).toMatchObject([
      { level: 'info', msg: 'started', context: 'Bootstrap' },
      { level: 'error', msg: 'failed', context: 'Worker', stack: 'Error: x\n    at y' },
      { level: 'error', msg: 'boom', context: 'Worker', err: { type: 'Error' } },
      { level: 'warn', context: 'Bus', data: [{ queue: 'mail', password: '[redacted]' }] },
    ]);
  });

  it('maps every level of Nest to one of ours', () => {
    const { log, entries } = opened();
    const nest = new NestLog(log);
    nest.log('x');
    nest.error('x');
    nest.warn('x');
    nest.debug('x');
    nest.verbose('x');
    nest.fatal('x');
    const levels = ['info', 'error', 'warn', 'debug', 'trace', 'fatal'];
    expect(entries()).toMatchObject(levels.map((level) => ({ level, msg: 'x' })));
  });

  it('serves every Logger of the process once it is handed over', () => {
    const { log, entries } = opened();
    Logger.overrideLogger(new NestLog(log));
    try {
      new Logger('Relay').log('published');
      new Logger('Relay').error(new Error('lost'));
      new Logger('Relay').error('lost', new Error('why').stack);
    } finally {
      Logger.overrideLogger(true);
    }
    expect(entries()).toMatchObject([
      { level: 'info', msg: 'published', context: 'Relay' },
      { level: 'error', msg: 'lost', context: 'Relay', err: { message: 'lost' } },
      { level: 'error', msg: 'lost', context: 'Relay', stack: expect.stringContaining('why') },
    ]);
  });
});
