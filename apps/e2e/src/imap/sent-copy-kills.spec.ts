// tags: imap, own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { always, Dovecot, dovecot, obliging, ScriptedSmtp, whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import type { Answer } from '../http.js';
import { type ProductProcess, startProduct } from '../product-process.js';
import { aMessage, newKey, receiptOf, sendMessage, senderFor } from '../sending.js';
import { mailboxOf, recordOf } from '../wire.js';
import { Workplace } from '../workplace.js';

/** The moments at which the process is killed while it writes a copy, and the state by then. */
const steps = ['the server has not been asked', 'its answer is lost', 'it has answered'] as const;
type Step = (typeof steps)[number];

/** A way to the server that ends at a step. */
class Way {
  readonly reached = Promise.withResolvers<void>();
  /** Times that a copy was looked for since the kill. */
  looks = 0;
  private hasAsked = false;
  private isOpen = true;

  private constructor(
    private readonly server: Server,
    private step: Step | null,
    private readonly to: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async open(step: Step, to: number): Promise<Way> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Way(server, step, to);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Lets everything through from now on. */
  clear(): void {
    [this.step, this.looks, this.isOpen] = [null, 0, true];
  }

  close(): void {
    this.server.close();
  }

  private join(client: Socket): void {
    const server = connect(this.to, '127.0.0.1');
    client.on('error', () => undefined).on('close', () => server.destroy());
    server.on('error', () => undefined).on('close', () => client.destroy());
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (text.includes('HEADER')) this.looks += 1;
      if (text.includes(' APPEND ')) this.hasAsked = true;
      if (this.hasAsked) this.endAt('the server has not been asked');
      if (this.isOpen || this.step !== 'the server has not been asked') server.write(chunk);
    });
    server.on('data', (chunk) => {
      const isDone = this.hasAsked && chunk.includes('APPENDUID');
      if (isDone) this.endAt('its answer is lost');
      if (this.isOpen) client.write(chunk);
      if (isDone) this.endAt('it has answered');
    });
  }

  private endAt(step: Step): void {
    if (step !== this.step) return;
    this.isOpen = step === 'it has answered';
    this.reached.resolve();
  }
}

whereThere(dovecot, describe)('SIGKILL while a copy of what was sent is written', () => {
  let running: ProductProcess;
  let place: Workplace;
  let server: Dovecot;
  let smtp: ScriptedSmtp;
  beforeAll(async () => {
    server = await Dovecot.start();
    smtp = await ScriptedSmtp.listen();
    running = await startProduct();
    place = await Workplace.open('acme', running.product);
  });
  afterAll(async () => {
    await running.remove();
    await smtp.close();
    await server.close();
  });

  /** A mailbox whose account is reached through a port, once it is up to date. */
  async function connected(port: number) {
    const [user, address] = [randomUUID(), `box-${randomUUID()}@acme.test`];
    const at = { host: '127.0.0.1', secure: false };
    const imap = { ...at, port, user, password: 'secret' };
    const { id } = mailboxOf(
      await place.settings.post('/mailboxes', { address, name: 'Sends', imap }),
    );
    const outgoing = { ...at, port: smtp.port, user: null };
    const account = JSON.stringify({ outgoing, sentCopy: 'append' });
    const json = { 'Content-Type': 'application/json' };
    const set = await place.settings.request('PUT', `/mailboxes/${id}/account`, account, json);
    expect(set.status).toBe(200);
    await until(async () => {
      const { sync } = recordOf(await place.settings.get(`/mailboxes/${id}/sync`));
      return (sync as { state: string }).state === 'live';
    });
    const [api, message, key] = [await senderFor(place, address), aMessage(address), newKey()];
    return { user, message, send: () => sendMessage(api, message, key) };
  }
  const filed = async (user: string): Promise<number> =>
    (await server.messages(user)).filter(({ folder }) => folder === 'Sent').length;
  const takenOf = ({ subject }: ReturnType<typeof aMessage>) =>
    smtp.taken.filter(({ raw }) => raw.includes(subject));

  it('has it there once, and a copy of a send in doubt proves that it has left', async () => {
    const ways = await Promise.all(steps.map((step) => Way.open(step, server.port)));
    const posts = await Promise.all(ways.map(({ port }) => connected(port)));
    const doubtful = await connected(server.port);
    for (const { send } of posts) expect((await send()).status).toBe(200);
    smtp.script = always('dot', 'silence');
    const asked = doubtful.send().catch(() => undefined);
    await until(() => takenOf(doubtful.message).length === 1);
    await Promise.all(ways.map(({ reached }) => reached.promise));
    await running.kill('services');
    await asked;
    smtp.script = obliging;
    for (const way of ways) way.clear();
    const [copy] = takenOf(doubtful.message);
    await server.deliver(doubtful.user, copy?.raw.toString('latin1') ?? '', { folder: 'Sent' });
    await running.restart();

    // The copies are looked for, and once more after they were written.
    await until(() => ways.every(({ looks }) => looks >= 2), 240_000);
    let answer: Answer | undefined;
    await until(async () => {
      answer = await doubtful.send();
      return answer.status === 200;
    });
    expect(answer && receiptOf(answer).receiptSource).toBe('reconciled');
    for (const { user, message } of [...posts, doubtful]) {
      expect([await filed(user), takenOf(message).length]).toEqual([1, 1]);
    }
    for (const way of ways) way.close();
  }, 400_000);
});
