import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  signatureHeaders,
  webhookSecret,
  type EventPage,
  type FeedEvent,
} from '@postroom/contracts';
import { publicUrlOf } from '../config.js';
import type { DemoFacts } from '../demo/index.js';
import { readJson } from '../installation.js';
import { loadPostroomConfig } from '../load-config.js';
import { SetupError } from '@postroom/local';
import { UsageError, type Command, type CommandLine } from './run-command.js';
import { unreachable } from './approvals/approver-session.js';

const waitSeconds = 25;
const retryMs = 2_000;
const postMs = 8_000;

/** Used when nothing ends the command. */
const never = new AbortController().signal;

/** Follows the feed of a workspace, and posts each event to an address of this machine. */
export const listenToWebhooks: Command = {
  words: ['webhooks', 'listen'],
  usage: `postroom webhooks listen --forward URL --key KEY [--url BASE] [--types TYPE,…]
    For developers: posts each event that the API key may see to a local URL as a webhook does, signed
    with a secret that is printed first. BASE is the address of the deployment, with /public or without;
    that of the demo in the data folder, or PUBLIC_URL, unless it is given. Ctrl-C ends it.`,
  async run(line) {
    const { print = () => undefined, signal = never } = line;
    const { forward, key, base, types } = await wanted(line);
    const secret = webhookSecret(randomBytes(32));
    const feed = new Feed(base, key, types);
    await feed.goToEnd();
    print(`Secret: ${secret}`);
    print(`Events of ${base} are posted to ${forward}.`);
    while (!signal.aborted) {
      for (const event of await feed.next(signal)) print(await post(forward, event, secret));
    }
    return [];
  },
};

/** @throws UsageError */
async function wanted({ rest, options, env }: CommandLine) {
  const { forward = '', key = '', types, url } = options;
  if (rest.length > 0) throw new UsageError(`What is ${rest.join(' ')}?`);
  if (key === '') throw new UsageError('--key is missing.');
  if (!isLocal(forward)) throw new UsageError('--forward is missing, or no URL of this machine.');
  if (url !== undefined && !URL.canParse(url)) throw new UsageError('--url is no URL.');
  // With the path of an API or without one: it is at one place of the deployment.
  const base = url === undefined ? await usualBase(env) : `${new URL(url).origin}/public`;
  return { forward, key, base, types };
}

/** Where the demo says that the API is, if there is one; else where it would be. */
async function usualBase(env: NodeJS.ProcessEnv): Promise<string> {
  const config = loadPostroomConfig(env);
  const demo = await readJson<Partial<DemoFacts>>(join(config.dataDir, 'demo.json'));
  return demo?.baseUrl ?? `${publicUrlOf(config)}/public`;
}

/** Nothing leaves the machine by it. */
function isLocal(url: string): boolean {
  const { hostname = '', protocol = '' } = URL.parse(url) ?? {};
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  return /^https?:$/.test(protocol) && isLoopback;
}

/** The feed, and how far it was read. */
class Feed {
  private after: string | null = null;

  constructor(
    private readonly base: string,
    private readonly key: string,
    private readonly types: string | undefined,
  ) {}

  /** Passes over what is there: only what comes is told. */
  async goToEnd(): Promise<void> {
    for (let more = true; more;) {
      const page = await this.page({ limit: '500' }).catch((error: unknown) => {
        throw unreachable(this.base, error);
      });
      this.after = page.nextAfter;
      more = page.truncated;
    }
  }

  /** The new events; none where the product could not be reached, which is asked again later. */
  async next(signal: AbortSignal): Promise<readonly FeedEvent[]> {
    try {
      const page = await this.page({ wait: String(waitSeconds) }, signal);
      this.after = page.nextAfter;
      return page.events;
    } catch (error) {
      if (error instanceof SetupError) throw error;
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      return [];
    }
  }

  /** @throws SetupError for a key or a place that is refused */
  private async page(query: Record<string, string>, signal?: AbortSignal): Promise<EventPage> {
    const place = {
      ...(this.after !== null && { after: this.after }),
      ...(this.types !== undefined && { types: this.types }),
    };
    const url = `${this.base}/v1/events?${new URLSearchParams({ ...query, ...place }).toString()}`;
    const answer = await fetch(url, { headers: { 'X-Api-Key': this.key }, signal: signal ?? null });
    const text = await answer.text();
    if (answer.status === 200) return JSON.parse(text) as EventPage;
    const isPassing = answer.status === 429 || answer.status >= 500;
    const reason = `${url} answered ${answer.status}: ${text.slice(0, 500)}`;
    throw isPassing ? new Error(reason) : new SetupError(reason);
  }
}

/** Posts an event as a first attempt. @returns the line to print */
async function post(url: string, event: FeedEvent, secret: string): Promise<string> {
  const { id, type } = event;
  const body = Buffer.from(JSON.stringify(event));
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'x-svc-event': type,
    'x-svc-delivery': id.replace('evn_', 'dlv_'),
    'x-svc-attempt': '1',
    ...signatureHeaders({ id, timestamp, body }, [secret]),
  };
  const signal = AbortSignal.timeout(postMs);
  const posted = fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  const told = await posted.then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return `${type} ${id} ${told}`;
}
