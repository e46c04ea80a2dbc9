import { describe, expect, it } from '@jest/globals';
import { createLog, type Log } from '@postroom/service';
import { forwardLogLine } from './inbound-thread.js';

/** A log, and its lines without their times. */
function aLog(): { log: Log; lines: string[]; entries: () => object[] } {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'debug', format: 'json', to });
  const entries = (): object[] =>
    lines.map((line) => ({ ...(JSON.parse(line) as object), time: undefined }));
  return { log, lines, entries };
}

describe('a line of the log of a thread', () => {
  it.each<[string, (log: Log) => void]>([
    ['a text', (log) => log.info('mail arrived')],
    ['fields', (log) => log.warn({ mailbox: 'a@b.example', sizeBytes: 3 }, 'kept')],
    ['fields alone', (log) => log.debug({ parsed: false })],
    ['an error', (log) => log.error({ err: new RangeError('too far') }, 'failed')],
    [
      'an error of the system, with its causes',
      (log) => {
        const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        log.error({ err: new TypeError('no database', { cause }) });
      },
    ],
    ['what is no error', (log) => log.fatal({ err: new Error('x', { cause: 'a word' }) })],
  ])('is written by the process as the thread would: %s', (_what, write) => {
    const thread = aLog();
    const main = aLog();
    write(thread.log);
    for (const line of thread.lines) forwardLogLine(main.log, line);
    expect(main.entries()).toEqual(thread.entries());
    expect(main.entries()).toHaveLength(1);
  });

  it('gets the fields that the log of the process has', () => {
    const thread = aLog();
    const main = aLog();
    thread.log.info('mail arrived');
    for (const line of thread.lines) forwardLogLine(main.log.child({ service: 'mail' }), line);
    expect(main.entries()).toMatchObject([{ service: 'mail', msg: 'mail arrived' }]);
  });
});
