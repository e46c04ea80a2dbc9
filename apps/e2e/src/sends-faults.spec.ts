// tags: own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { always, obliging, ScriptedSmtp, type SmtpStage } from '@postroom/testing';
import { repetitions } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import type { Answer } from './http.js';
import { deliver } from './mail.js';
import type { RunningProduct } from './product.js';
import { ownBroker, startProduct } from './product-process.js';
import {
  aMessage,
  mailboxBehind,
  newKey,
  type Receipt,
  receiptOf,
  sendMessage,
  senderFor,
} from './sending.js';
import { recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const rounds = repetitions(8, 1);
const runsEach = 4;
const minutesMax = 20;

/**
 * The moment at which the process is killed. Before the server's greeting only the reservation is committed, at
 * each later stage the transmission, and after the reply perhaps the receipt.
 */
const stages = ['connect', 'mail', 'rcpt', 'data', 'body', 'dot', 'accepted'] as const;
type Stage = (typeof stages)[number];

/** The allowed outcomes of a stage's runs. */
const possible: Readonly<Record<Stage, readonly Ending[]>> = {
  connect: ['sent by the repeat', 'receipt'],
  mail: ['unknown, nothing there'],
  rcpt: ['unknown, nothing there'],
  data: ['unknown, nothing there'],
  body: ['unknown, nothing there'],
  dot: ['unknown, reconciled'],
  // The first run is at its stage; the others are wherever they have got to.
  accepted: ['receipt', 'unknown, reconciled', 'sent by the repeat', 'unknown, nothing there'],
};

/** The outcome of a run. */
type Ending =
  /** The receipt existed before the repeat, from before the kill or from a redelivery. */
  | 'receipt'
  /** Nothing had left, and the repeat sent it. */
  | 'sent by the repeat'
  /** The outcome was unknown, and an answer to the message settled it. */
  | 'unknown, reconciled'
  /** The outcome stays unknown since the server has nothing; it is never sent. */
  | 'unknown, nothing there';

interface Run {
  readonly stage: Stage;
  readonly key: string;
  readonly message: ReturnType<typeof aMessage>;
}

interface Post {
  readonly server: ScriptedSmtp;
  readonly mailbox: string;
  readonly api: OwnKey;
}

describe('SIGKILL at each step of a send', () => {
  const posts = new Map<Stage, Post>();
  const endings = new Map<Ending, number>();
  let running: RunningProduct;
  let place: Workplace;

  /** A mailbox for each stage, with a mail server of its own. */
  const openPost = async (): Promise<Post> => {
    const server = await ScriptedSmtp.listen();
    const mailbox = await mailboxBehind(place, server);
    return { server, mailbox, api: await senderFor(place, mailbox) };
  };

  const postOf = (stage: Stage): Post => {
    const post = posts.get(stage);
    if (!post) throw new Error(`no post for ${stage}`);
    return post;
  };

  const ask = ({ stage, key, message }: Run): Promise<Answer> =>
    sendMessage(postOf(stage).api, message, key);

  beforeAll(async () => {
    running = await startProduct(ownBroker);
    place = await Workplace.open('acme', running.product);
    for (const stage of stages) posts.set(stage, await openPost());
  });

  afterAll(async () => {
    await running.remove();
    for (const { server } of posts.values()) await server.close();
  });

  const momentsAt = (stage: SmtpStage, { server }: Post): number =>
    server.moments.filter((moment) => moment.stage === stage).length;

  /** Starts sends that wait at their stage, and kills the process there. */
  const killed = async (): Promise<readonly Run[]> => {
    const runs = stages.flatMap((stage) =>
      Array.from({ length: runsEach }, (): Run => {
        const message = aMessage(postOf(stage).mailbox);
        return { stage, key: newKey(), message };
      }),
    );
    const begin = (of: (run: Run) => boolean): Promise<unknown>[] =>
      runs.filter(of).map((run) => ask(run).catch(() => undefined));
    for (const [stage, { server }] of posts) {
      server.reset(stage === 'accepted' ? obliging : always(stage, 'silence'));
    }
    const waiting = begin(({ stage }) => stage !== 'accepted');
    await until(() =>
      stages.every((stage) => stage === 'accepted' || momentsAt(stage, postOf(stage)) >= runsEach),
    );
    const answered = begin(({ stage }) => stage === 'accepted');
    await until(() => momentsAt('accepted', postOf('accepted')) >= 1);
    await running.kill('services');
    await Promise.all([...waiting, ...answered]);
    // Closes idle connections, so that the next round begins with a greeting.
    for (const { server } of posts.values()) server.script = always('accepted', 'drop');
    return runs;
  };

  /** Repeats a send, as its caller would, until its outcome is known. */
  const insisted = async (run: Run): Promise<Answer> => {
    for (;;) {
      const answer = await ask(run);
      const isUnderWay = answer.status === 409 && recordOf(answer)['outcomeUnknown'] === false;
      if (!isUnderWay) return answer;
      await sleep(500);
    }
  };

  const taken = ({ stage, message }: Run) =>
    postOf(stage).server.delivered.filter(({ raw }) => raw.includes(message.subject));

  const settled = async (run: Run): Promise<Ending> => {
    const before = taken(run).length;
    const answer = await insisted(run);
    if (answer.status === 200) {
      expect(taken(run)).toHaveLength(1);
      const { receiptSource } = receiptOf(answer);
      if (receiptSource === 'reconciled') return 'unknown, reconciled';
      return before === 0 ? 'sent by the repeat' : 'receipt';
    }
    expect(recordOf(answer)).toMatchObject({ duplicate: true, outcomeUnknown: true });
    const [kept] = taken(run);
    if (!kept) return 'unknown, nothing there';
    const id = kept.messageId ?? '';
    const { mailbox } = postOf(run.stage);
    await deliver(place.product, { to: mailbox, subject: 'Re:', inReplyTo: id, references: id });
    const receipt = await reconciled(run);
    expect(receipt.receiptSource).toBe('reconciled');
    return 'unknown, reconciled';
  };

  const reconciled = async (run: Run): Promise<Receipt> => {
    let last: Answer | undefined;
    await until(async () => {
      last = await ask(run);
      return last.status === 200;
    });
    if (!last) throw new Error('nothing was asked');
    return receiptOf(last);
  };

  it(
    'sends nothing twice, and each ends as a receipt or as what nobody knows until it is settled',
    async () => {
      const runs: Run[] = [];
      for (let round = 0; round < rounds; round++) {
        const some = await killed();
        await running.restart();
        place = await Workplace.open('acme', running.product);
        runs.push(...some);
        const ends = await Promise.all(some.map(settled));
        for (const [i, end] of ends.entries()) {
          expect(possible[some[i]?.stage ?? 'connect']).toContain(end);
          endings.set(end, (endings.get(end) ?? 0) + 1);
        }
        // Whatever the outcome, a repeat gets the same answer and sends nothing.
        const transmitted = some.map((run) => taken(run).length);
        await Promise.all(some.map(ask));
        expect(some.map((run) => taken(run).length)).toEqual(transmitted);
        expect(transmitted.filter((times) => times > 1)).toEqual([]);
      }
      const counts = { runs: runs.length, kills: rounds, ...Object.fromEntries(endings) };
      process.stdout.write(`sends: ${JSON.stringify(counts)}\n`);
      const known = [...endings.values()].reduce((sum, count) => sum + count, 0);
      expect(known).toBe(rounds * runsEach * stages.length);
    },
    minutesMax * 60_000,
  );
});
