import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostroomEvent, PostroomError } from '@postroom/sdk';
import { isOfThisMachine, keep, kept } from './config.js';
import { isPassing, UsageError } from './failures.js';
import { printRows } from './output.js';
import { clientOf, formatOf, type Surroundings } from './run-command.js';

type Options = Readonly<Record<string, unknown>>;

const postMs = 8_000;
const restMs = 2_000;

/** The events of the workspace as they come; what passes by itself (no answer, a limit) is waited for. */
async function* eventsOf(
  options: Options,
  surroundings: Surroundings,
): AsyncGenerator<PostroomEvent> {
  const client = await clientOf(surroundings.env, options);
  const { types, after: from = 'latest' } = options as { types?: string; after?: string };
  const { signal } = surroundings;
  let after = from;
  while (!signal.aborted) {
    try {
      const place = { after, ...(types !== undefined && { types }) };
      for await (const event of client.events.follow(place, { signal })) {
        yield event;
        after = event.id;
      }
    } catch (error) {
      await untilItPasses(error, surroundings);
    }
  }
}

/** Waits a moment after a failure that passes, unless the program is ended. @throws any other failure */
async function untilItPasses(error: unknown, { note, signal }: Surroundings): Promise<void> {
  if (signal.aborted) return;
  if (!(error instanceof PostroomError) || !isPassing(error)) throw error;
  note(`${error.message} Trying again.`);
  await sleep(restMs, undefined, { signal }).catch(() => undefined);
}

/** Prints events as they come. */
export async function followEvents(options: Options, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  for await (const event of eventsOf(options, surroundings)) {
    const { id, type, occurredAt, resource } = event;
    if (formatOf(options) !== 'table') printRows([{ ...event }], 'jsonl', terminal);
    else terminal.write(`${occurredAt}  ${id}  ${type}  ${resource.id}\n`);
  }
}

/** Posts events to an address of this machine as they come, signed as a webhook is, with a secret of its own. */
export async function listen(options: Options, surroundings: Surroundings): Promise<void> {
  const { env, terminal, note } = surroundings;
  const url = localUrl(options['forward']);
  const secret = await webhookSecret(env);
  note(`Secret: ${secret}`);
  note(`Events are posted to ${url}. Ctrl-C ends it.`);
  for await (const event of eventsOf(options, surroundings))
    terminal.write(`${event.type} ${event.id} ${await posted(url, event, secret)}\n`);
}

function localUrl(given: unknown): string {
  if (typeof given === 'string' && isOfThisMachine(given)) return given;
  throw new UsageError('--forward is an address of this machine: http://localhost:4000/hook.');
}

/** The same each time, so that the program that is tried needs to be told once. */
async function webhookSecret(env: Surroundings['env']): Promise<string> {
  const known = (await kept(env)).webhookSecret;
  if (known !== undefined) return known;
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  await keep(env, { webhookSecret: made });
  return made;
}

/** The headers that sign a body, by both schemes. */
export function signatureHeaders(id: string, body: string, secret: string, nowMs = Date.now()) {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'x-svc-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  };
}

/** Posts an event once. @returns the status, or why there is none */
async function posted(url: string, event: PostroomEvent, secret: string): Promise<string> {
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'x-svc-event': event.type,
    'x-svc-attempt': '1',
    ...signatureHeaders(event.id, body, secret),
  };
  const signal = AbortSignal.timeout(postMs);
  try {
    return String(
      (await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })).status,
    );
  } catch (error) {
    const { cause, message } = error as Error & {
      readonly cause?: Partial<Error & { code: string }>;
    };
    return `not delivered: ${cause?.code ?? cause?.message ?? message}`;
  }
}
