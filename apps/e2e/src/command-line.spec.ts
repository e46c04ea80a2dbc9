import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@postroom/sdk';
import { freePort, Receiver } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { deliver } from './mail.js';
import { type ConversationItem, conversationOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const program = fileURLToPath(new URL('../../cli/dist/cli.js', import.meta.url));

describe('the command line of the public API', () => {
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;
  let agent: OwnKey;
  let conversation: ConversationItem;
  let folder = '';
  const ending: ChildProcessWithoutNullStreams[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-command-line-'));
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    const scopes = ['read:conversations', 'write:conversations', 'drafts:write', 'mail:send'];
    api = await place.keyFor(mailbox, { scopes });
    agent = await place.keyFor(mailbox, { kind: 'agent', approval: 'required' });
    // A stranger's subject can neither clear the screen nor turn its direction.
    const subject = `Red \u001b[31m \u202e ${randomUUID()}`;
    const attachments = [{ filename: 'a.txt', content: 'A file.' }];
    await deliver(place.product, { to: mailbox, subject, attachments });
    conversation = await place.listed(api, mailbox, () => true);
  });
  afterAll(async () => {
    for (const child of ending) child.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const commenting = (words: string): readonly string[] => [
    ...['conversations', 'comment', conversation.id],
    ...['--mailbox', mailbox, '--text', words],
  ];

  function started(
    args: readonly string[],
    key: string = api.key,
    more = {},
  ): ChildProcessWithoutNullStreams {
    const env = {
      ...{ PATH: process.env['PATH'], POSTROOM_URL: place.product.baseUrl },
      POSTROOM_CONFIG: join(folder, 'config.json'),
      ...(key !== '' && { POSTROOM_API_KEY: key }),
      ...more,
    };
    const child = spawn(process.execPath, [program, ...args], {
      env,
      cwd: folder,
      stdio: 'pipe',
    });
    ending.push(child);
    return child;
  }

  async function postroom(
    args: readonly string[],
    key?: string,
    more: { input?: string; [name: string]: unknown } = {},
  ) {
    const { input = '', ...env } = more;
    const child = started(args, key, env);
    child.stdin.end(input);
    const closed = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await closed;
    return { code: child.exitCode, stdout, stderr };
  }

  it('prints a list as a table without colours, as JSON, line by line, and by its ids', async () => {
    const list = ['conversations', 'list', '--mailbox', mailbox];
    const table = await postroom(list);
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout.split('\n')).toEqual([
      expect.stringMatching(/^id +mailbox +subject/),
      expect.stringContaining(`${conversation.id}  ${mailbox.slice(0, 40)}`),
      '',
    ]);
    for (const hidden of ['\u001b', '\u202e']) expect(table.stdout).not.toContain(hidden);
    expect(JSON.parse((await postroom([...list, '--json'])).stdout)).toMatchObject([
      { id: conversation.id, subject: conversation.subject },
    ]);
    expect(JSON.parse((await postroom([...list, '--jsonl'])).stdout)).toMatchObject({
      id: conversation.id,
    });
    expect((await postroom([...list, '--quiet'])).stdout).toBe(`${conversation.id}\n`);
  });

  it('fetches pages until there are as many as are asked for', async () => {
    for (const subject of ['one', 'two', 'three'])
      await api.post('/v1/drafts', { mailbox, draft: { subject } });
    const ids = async (limit: string) =>
      (await postroom(['drafts', 'list', '--mailbox', mailbox, '--limit', limit, '--quiet'])).stdout
        .trim()
        .split('\n');
    expect([(await ids('2')).length, (await ids('100')).length]).toEqual([2, 3]);
  });

  it('repeats a write under a key of the caller’s, and reads it back', async () => {
    const comment = commenting('By hand');
    const key = `cli-${randomUUID()}`;
    for (const repeated of [
      '',
      'Nothing was done again: the key was used before, and this is its answer.\n',
    ]) {
      const done = await postroom([...comment, '--idempotency-key', key]);
      expect(done).toMatchObject({ code: 0, stderr: `Idempotency-Key: ${key}\n${repeated}` });
    }
    const { comments } = conversationOf(
      await api.get(`/v1/conversations/${conversation.id}`, { mailbox }),
    );
    expect(comments.map((one) => one.text)).toEqual(['By hand']);
  });

  it('sends a file of its own, only when it is told to, and downloads it', async () => {
    await writeFile(join(folder, 'body.html'), '<p>Here it is.</p>');
    await writeFile(join(folder, 'price list.txt'), 'Ten.');
    const subject = `Sent by hand ${randomUUID()}`;
    const send = [
      'messages',
      'send',
      '--mailbox',
      mailbox,
      '--to',
      'Camille <camille@correspondent.example>',
      '--subject',
      subject,
    ];
    const whole = [...send, '--body-file', 'body.html', '--attach', 'price list.txt'];
    expect(await postroom(whole)).toMatchObject({
      code: 1,
      stderr: 'It would leave at once: say --yes.\n',
    });
    const { stdout } = await postroom([...whole, '--yes', '--json']);
    const { threadId } = JSON.parse(stdout) as { threadId: string };
    const { messages } = conversationOf(
      await api.get(`/v1/conversations/${threadId}`, { mailbox }),
    );
    expect(messages[0]).toMatchObject({
      html: expect.stringContaining('<p>Here it is.</p>'),
      attachments: [{ filename: 'price list.txt' }],
    });
    const [file] = messages[0]?.attachments ?? [];
    expect(
      await postroom(['attachments', 'get', file?.id ?? '', '--mailbox', mailbox]),
    ).toMatchObject({ code: 0, stdout: 'Ten.' });
  });

  it('ends with what came of it', async () => {
    const at = (id: string) => ['conversations', 'archive', id, '--mailbox', mailbox];
    const nowhere = { POSTROOM_URL: `http://127.0.0.1:${await freePort()}/public` };
    const unknown = conversation.id.replace(/.{6}$/, '000000');
    const cases: readonly (readonly [
      number,
      RegExp,
      Promise<{ code: number | null; stderr: string }>,
    ])[] = [
      [1, /unknown command 'conversation'/, postroom(['conversation'])],
      [1, /required option '--mailbox <text>'/, postroom(['conversations', 'list'])],
      [
        1,
        /Allowed choices are open, pending, closed/,
        postroom(['conversations', 'list', '--mailbox', mailbox, '--status', 'x']),
      ],
      [1, /There is no key: run `postroom login`/, postroom(['me', 'get'], '')],
      [
        1,
        /in clear to http:\/\/example.com/,
        postroom(['me', 'get', '--url', 'http://example.com/public']),
      ],
      [1, /Set POSTROOM_API_KEY instead/, postroom(['login'], '')],
      [1, /Set POSTROOM_PASSWORD instead/, postroom(['approvals', 'list', '--as', 'a@acme.test'])],
      [1, /There is no event type nonsense.type/, postroom(['trigger', 'nonsense.type'])],
      [2, /401 UNAUTHENTICATED/, postroom(['login'], '', { input: 'pr_human_none\n' })],
      [2, /401 UNAUTHENTICATED/, postroom(['me', 'get'], 'pr_human_none')],
      [2, /404 CONVERSATION_NOT_FOUND/, postroom(at(unknown))],
      [2, /403 SCOPE_MISSING\)\n {2}needs the scope read:contacts/, postroom(['contacts', 'list'])],
      [3, /It waits for a person/, postroom(at(conversation.id), agent.key)],
      [
        4,
        /The server was not reached: http[^]*Try again/,
        postroom(['me', 'get'], api.key, nowhere),
      ],
      [5, /same command with --idempotency-key/, postroom(at(conversation.id), api.key, nowhere)],
    ];
    for (const [code, said, ended] of cases) {
      const { code: is, stderr } = await ended;
      expect([is, stderr]).toEqual([code, expect.stringMatching(said)]);
    }
  });

  it('keeps a key that it has asked for where its owner alone can read it', async () => {
    const file = join(folder, 'kept.json');
    const login = await postroom(['login'], '', { input: `${api.key}\n`, POSTROOM_CONFIG: file });
    expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining(`Kept in ${file}.`) });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(
      (await postroom(['me', 'get', '--json'], '', { POSTROOM_CONFIG: file })).stdout,
    ).toContain(api.id);
  });

  it('lets a member decide about the write of an agent', async () => {
    const comment = commenting('Proposed \u202ebackwards\u001b[2K');
    const key = `cli-${randomUUID()}`;
    const filed = await postroom([...comment, '--json', '--idempotency-key', key], agent.key);
    const { id } = JSON.parse(filed.stdout) as { id: string };
    const { email, password } = place.tenant.member;
    const member = { POSTROOM_EMAIL: email, POSTROOM_PASSWORD: password };
    expect((await postroom(['approvals', 'list', '--quiet'], '', member)).stdout).toContain(id);
    // The session that was kept is used: no password is needed again.
    const shown = await postroom(['approvals', 'show', id], '', { POSTROOM_EMAIL: email });
    expect(shown.stdout).toContain('text: Proposed \\u{202e}backwards\\u{1b}[2K');
    const approved = await postroom(['approvals', 'approve', id], '', { POSTROOM_EMAIL: email });
    const wrote = expect.stringMatching(new RegExp(`${id}[^]*answer 200 \\w{3}_`));
    expect(approved).toMatchObject({ code: 0, stdout: wrote });
    expect(
      await postroom(['approvals', 'reject', id, '--comment', 'No'], '', { POSTROOM_EMAIL: email }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing was done: the approval is executed. (409 '),
    });
    const again = await postroom([...comment, '--json', '--idempotency-key', key], agent.key);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Proposed')]);
  });

  it('calls the settings API as a member, with a body, a file, and for a file', async () => {
    const { email, password } = place.tenant.admin;
    const member = { POSTROOM_EMAIL: email, POSTROOM_PASSWORD: password };
    const settings = (...args: string[]) => postroom(['settings', ...args], '', member);
    const name = randomUUID();
    const made = await settings('post', '/teams', '--data', JSON.stringify({ name }), '--json');
    const { team } = JSON.parse(made.stdout) as { team: { id: string } };
    expect((await settings('GET', '/teams')).stdout).toContain(name);
    await writeFile(join(folder, 'price.csv'), 'a,b');
    const upload = `/v1/attachments?mailbox=${mailbox}&filename=price.csv`;
    const sent = ['--file', 'price.csv', '--type', 'text/csv'];
    expect(await settings('POST', upload, ...sent)).toMatchObject({ code: 0 });
    expect((await settings('GET', '/audit/export')).stdout).toMatch(/^\{"/);
    const cases: readonly (readonly [number, RegExp, readonly string[]])[] = [
      [1, /begins with a slash/, ['GET', 'teams']],
      [1, /expected JSON/, ['POST', '/teams', '--data', '{']],
      [
        1,
        /nothing\.csv cannot be read/,
        ['POST', upload, '--file', 'nothing.csv', '--type', 'text/csv'],
      ],
      [2, /404 TEAM_NOT_FOUND/, ['DELETE', `/teams/${team.id.replace(/.{6}$/, '000000')}`]],
    ];
    for (const [code, said, args] of cases)
      expect(await settings(...args)).toMatchObject({ code, stderr: expect.stringMatching(said) });
    expect(await postroom(['settings', 'GET', '/teams'], '')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--as'),
    });
  });

  it('forwards events to a local address, signed with a secret that stays, whether it is up or not', async () => {
    const receiver = await Receiver.start();
    const listening = async (url: string) => {
      const child = started(['listen', '--forward', url, '--types', 'integration.test']);
      const printed = { out: '', err: '' };
      child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()));
      await until(() => printed.err.includes('Ctrl-C ends it.'));
      // An event before it reads the feed would be missed.
      await until(async () => {
        await postroom(['trigger', 'integration.test']);
        return printed.out.includes('integration.test evn_');
      });
      child.kill('SIGINT');
      await once(child, 'close');
      return {
        ...printed,
        secret: /Secret: (\S+)/.exec(printed.err)?.[1] ?? '',
        code: child.exitCode,
      };
    };
    const up = await listening(receiver.url());
    expect(up).toMatchObject({
      code: 0,
      out: expect.stringMatching(/integration\.test evn_\w+ 204/),
    });
    const [got] = receiver.received;
    const event = await verifyWebhook(got?.body ?? '', got?.headers ?? {}, up.secret);
    expect(event.type).toBe('integration.test');
    await receiver.close();
    const down = await listening(receiver.url());
    expect(down).toMatchObject({
      code: 0,
      secret: up.secret,
      out: expect.stringContaining('not delivered: ECONNREFUSED'),
    });
  });

  it('completes commands, options and choices', async () => {
    const after = async (...words: string[]) =>
      (await postroom(['complete', '--', ...words])).stdout.trim().split('\n');
    expect(await after('conv')).toEqual(['conversations']);
    expect(await after('conversations', 'list', '--placement', 's')).toEqual(['spam']);
    expect(await after('drafts', 'create', '--in')).toEqual(['--in-reply-to']);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await postroom(['completion', shell])).stdout).toContain('postroom complete');
  });
});
