import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { whereThere } from '@postroom/testing';
import { MessageParser, type MessageParserOptions } from './message-parser.js';

const message = (subject: string) => Buffer.from(`Subject: ${subject}\r\n\r\nHello\r\n`);

/** Linux shows its threads here; elsewhere a thread has no priority of its own. */
const tasks = '/proc/self/task';
const threads = { missing: existsSync(tasks) ? null : `no ${tasks}` };

/** A thread's nice value: the 19th field of proc(5)'s stat, counted after the name in brackets; NaN once it has ended. */
const niceOf = async (threadId: string): Promise<number> => {
  const stat = await readFile(join(tasks, threadId, 'stat'), 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
};

describe('MessageParser', () => {
  const closing: (() => Promise<unknown>)[] = [];
  const warnings: string[] = [];

  function parserWith(options: Partial<MessageParserOptions> = {}): MessageParser {
    const warn = (_message: string, detail: Readonly<Record<string, unknown>>) => {
      // The end of a thread is a warning of its own, without a reason.
      if ('reason' in detail) warnings.push(String(detail.reason));
    };
    // A generous limit, so that only tests that are slow on purpose exceed it on a busy machine.
    const parser = new MessageParser({ warn, threads: 2, timeLimitMs: 50_000, ...options });
    closing.unshift(() => parser.close());
    return parser;
  }

  /** A thread that behaves as its message's subject says. */
  async function unrulyWorker(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-parser-'));
    closing.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'worker.mjs');
    await writeFile(
      file,
      `import { existsSync, writeFileSync } from 'node:fs';
      import { threadId } from 'node:worker_threads';
      const sleeper = new Int32Array(new SharedArrayBuffer(4));
      const big = JSON.stringify(Array(10000).fill(1.5));
      const marker = ${JSON.stringify(join(folder, 'crashed'))};
      export default async ({ raw, started }) => {
        const subject = Buffer.from(raw).toString().split('\\r\\n')[0];
        started.postMessage({ fingerprint: '', threadId, cpu: process.threadCpuUsage() });
        started.close();
        if (subject.includes('endless')) for (;;);
        if (subject.includes('starved')) Atomics.wait(sleeper, 0, 0, 900);
        if (subject.includes('crash')) process.exit(1);
        if (subject.includes('stumble') && !existsSync(marker)) {
          writeFileSync(marker, '');
          process.exit(1);
        }
        if (subject.includes('glutton')) for (const all = [];;) all.push(JSON.parse(big));
        return { message: { subject } };
      };`,
    );
    return file;
  }

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    warnings.splice(0);
  });

  it('parses in a thread and leaves the caller its bytes', async () => {
    const slab = Buffer.concat([Buffer.alloc(1000), message('one'), Buffer.alloc(1000)]);
    const raw = slab.subarray(1000, -1000);
    const before = Buffer.from(raw);
    expect(await parserWith().parse(raw, 'tnt_1')).toMatchObject({
      subject: 'one',
      text: 'Hello\n',
      parsed: true,
    });
    expect(raw.equals(before)).toBe(true);
    expect(warnings).toEqual([]);
  });

  whereThere(threads, it)('runs its threads at a lower priority than this process', async () => {
    await parserWith({ threads: 1 }).parse(message('one'), 'tnt_1');
    const nice = await Promise.all((await readdir(tasks)).map(niceOf));
    expect(nice).toContain(Math.min(getPriority(process.pid) + 10, 19));
  });

  it('parses many messages at once, each to its own answer', async () => {
    const parser = parserWith();
    const subjects = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    const parsed = await Promise.all(
      subjects.map((subject) => parser.parse(message(subject), 'tnt_1')),
    );
    expect(parsed.map(({ subject }) => subject)).toEqual(subjects);
  });

  it('takes turns between the workspaces that receive, by the bytes of their messages', async () => {
    const parser = parserWith({ threads: 1 });
    const done: string[] = [];
    const parse = async (workspace: string, bytes: number): Promise<void> => {
      await parser.parse(Buffer.concat([message(workspace), Buffer.alloc(bytes, 'x')]), workspace);
      done.push(workspace);
    };
    const flood = Array.from({ length: 12 }, () => parse('flooded', 20_000));
    await Promise.all([...flood, parse('b', 1), parse('b', 1), parse('c', 1)]);
    expect(done.slice(0, 4)).toEqual(['flooded', 'b', 'c', 'b']);
  });

  it('shows by the fallback what takes too long, and loses nothing beside it', async () => {
    const parser = parserWith({ workerFile: await unrulyWorker(), timeLimitMs: 300 });
    const subjects = ['endless', ...Array.from({ length: 20 }, (_, index) => `fine ${index}`)];
    const parsed = await Promise.all(
      subjects.map((subject) => parser.parse(message(subject), 'tnt_1')),
    );
    expect(parsed.map(({ subject }) => subject.replace('Subject: ', ''))).toEqual(subjects);
    expect(parsed[0]?.parsed).toBe(false);
    expect(warnings).toEqual(['too much time']);
  });

  it('does not count the time a message waits for a thread', async () => {
    const parser = parserWith({ workerFile: await unrulyWorker(), threads: 1, timeLimitMs: 400 });
    const subjects = ['endless 1', 'endless 2', 'fine'];
    const parsed = await Promise.all(
      subjects.map((subject) => parser.parse(message(subject), 'tnt_1')),
    );
    expect(parsed.map(({ parsed }) => parsed)).toEqual([false, false, undefined]);
  });

  it('does not count the time in which a thread gets no core', async () => {
    const parser = parserWith({ workerFile: await unrulyWorker(), timeLimitMs: 300 });
    expect(await parser.parse(message('starved'), 'tnt_1')).toMatchObject({
      subject: 'Subject: starved',
    });
    expect(warnings).toEqual([]);
  });

  it('shows by the fallback what takes too much memory', async () => {
    const parser = parserWith({ workerFile: await unrulyWorker() });
    const [glutton, fine] = await Promise.all([
      parser.parse(message('glutton'), 'tnt_1'),
      parser.parse(message('fine'), 'tnt_1'),
    ]);
    expect(glutton).toMatchObject({ subject: 'glutton', text: 'Hello\n', parsed: false });
    expect(fine.subject).toBe('Subject: fine');
    // Collecting garbage can take a full thread longer than its time.
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^too much (?:memory|time)$/);
  });

  it('tries a message again whose thread was lost', async () => {
    const parser = parserWith({ workerFile: await unrulyWorker() });
    expect((await parser.parse(message('stumble'), 'tnt_1')).subject).toBe('Subject: stumble');
    expect(warnings).toEqual([]);
  });

  it('shows by the fallback a message that ends every thread, and goes on', async () => {
    const parser = parserWith({ workerFile: await unrulyWorker() });
    expect(await parser.parse(message('crash'), 'tnt_1')).toMatchObject({
      subject: 'crash',
      parsed: false,
    });
    expect(warnings).toEqual(['the parsing thread was lost twice']);
    expect((await parser.parse(message('fine'), 'tnt_1')).subject).toBe('Subject: fine');
  });

  it('finishes what it has begun when it is closed, and takes nothing more', async () => {
    const parser = parserWith({ threads: 1 });
    const begun = Array.from({ length: 20 }, (_, index) =>
      parser.parse(message(`${index}`), 'tnt_1'),
    );
    await parser.close();
    expect((await Promise.all(begun)).every(({ parsed }) => parsed)).toBe(true);
    await expect(parser.parse(message('late'), 'tnt_1')).rejects.toThrow('closed');
  });

  it('shows bytes that have no header and no form by the fallback, as they are', async () => {
    const shown = await parserWith().parse(Buffer.from('no headers at all, just text'), 'tnt_1');
    expect(shown).toMatchObject({ parsed: false, text: 'no headers at all, just text' });
    expect(warnings).toEqual(['it shows nothing when parsed']);
  });
});
