import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';

function opened() {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  return { lines, lifecycle: new Lifecycle(createLog({ level: 'info', format: 'json', to })) };
}

describe('stopping', () => {
  it('runs the steps one after the other, the last registered first', async () => {
    const { lifecycle } = opened();
    const order: string[] = [];
    for (const name of ['database', 'broker', 'intake']) {
      lifecycle.onStop(name, async () => {
        order.push(`${name} begins`);
        await wait(5);
        order.push(`${name} ends`);
      });
    }
    expect(await lifecycle.stop()).toBe(true);
    expect(order).toEqual(
      ['intake', 'broker', 'database'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });

  it('happens once, however often it is asked for', async () => {
    const { lifecycle } = opened();
    let times = 0;
    lifecycle.onStop('database', () => (times += 1));
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    await lifecycle.stop();
    expect(times).toBe(1);
  });

  it('goes on past a step that fails or takes too long, and says so', async () => {
    const { lifecycle, lines } = opened();
    let closed = false;
    lifecycle.onStop('database', () => (closed = true));
    lifecycle.onStop('broker', () => new Promise(() => undefined), 20);
    lifecycle.onStop('intake', () => {
      throw new Error('already closed');
    });
    expect(await lifecycle.stop()).toBe(false);
    expect(closed).toBe(true);
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: 'error', step: 'intake', err: { message: 'already closed' } },
      { level: 'error', step: 'broker', err: { message: 'It took longer than 20 ms.' } },
    ]);
  });

  it('also stops what was started meanwhile', async () => {
    const { lifecycle } = opened();
    let closed = false;
    lifecycle.onStop('intake', () => lifecycle.onStop('late', () => (closed = true)));
    await lifecycle.stop();
    expect(closed).toBe(true);
  });
});

const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

const asTypeScript = ['--no-warnings', '--experimental-transform-types', '--input-type=module'];

/** A process of its own that runs the lines below with `lifecycle` and `log` at hand. */
function processWith(body: string) {
  const source = `
    import { Lifecycle } from ${JSON.stringify(new URL('./lifecycle.ts', import.meta.url).href)};
    const log = Object.fromEntries(['info', 'error', 'fatal'].map((level) => [
      level, (fields, text) => console.log(level, fields.err?.message ?? fields.signal, text)]));
    const lifecycle = new Lifecycle(log);
    lifecycle.handleSignals();
    setInterval(() => {}, 1000);
    ${body}
    console.log('started');`;
  const child = spawn(process.execPath, [...asTypeScript, '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {},
  });
  children.push(child);
  const { stdout } = child;
  if (!stdout) throw new Error('Its output is piped.');
  let output = '';
  stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const printed = once(stdout, 'close');
  const ended = once(child, 'exit').then(async ([code]: unknown[]) => {
    await printed;
    return { code, output };
  });
  const says = async (text: string) => {
    while (!output.includes(text)) {
      const { exitCode } = child;
      if (exitCode !== null) throw new Error(`It ended with ${exitCode} and "${output}".`);
      await Promise.race([once(stdout, 'data'), ended]);
    }
  };
  return { child, ended, says };
}

describe('a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops in order on %s and exits with 0',
    async (signal) => {
      const { child, ended, says } = processWith(
        `lifecycle.onStop('database', () => console.log('database closed'));`,
      );
      await says('started');
      child.kill(signal);
      expect(await ended).toEqual({
        code: 0,
        output: `started\ninfo ${signal} Stopping.\ndatabase closed\n`,
      });
    },
  );

  it('stops in order when the parent that it has a channel to is gone', async () => {
    const { child, ended, says } = processWith(
      `lifecycle.onStop('database', () => console.log('database closed'));`,
    );
    await says('started');
    child.disconnect();
    expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining('closed') });
  });

  it('exits with 1 when a step failed', async () => {
    const { child, ended, says } = processWith(
      `lifecycle.onStop('database', () => Promise.reject(new Error('gone')));`,
    );
    await says('started');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 1, output: expect.stringContaining('error gone') });
  });

  it('exits at once on the second signal', async () => {
    const { child, ended, says } = processWith(
      `lifecycle.onStop('hangs', () => new Promise(() => {}), 60_000);`,
    );
    await says('started');
    child.kill('SIGTERM');
    await says('Stopping.');
    // One Ctrl-C may arrive twice; the second signal is one that comes later.
    child.kill('SIGTERM');
    await wait(1_200);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
  });

  it.each([
    ['rejection', `Promise.reject(new Error('forgotten'));`],
    ['exception', `setTimeout(() => { throw new Error('forgotten'); });`],
  ])('logs an unhandled %s and exits with 1', async (_what, fault) => {
    const { ended } = processWith(fault);
    expect(await ended).toMatchObject({
      code: 1,
      output: expect.stringContaining('fatal forgotten'),
    });
  });
});
