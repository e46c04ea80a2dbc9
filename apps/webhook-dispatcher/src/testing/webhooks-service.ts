import { randomBytes } from 'node:crypto';
import type { MemberCaller } from '@postroom/access';
import { BusUnavailable } from '@postroom/bus';
import {
  auditConsumer,
  deliveries,
  eventPayloads,
  newId,
  streamConsumer,
  webhooks,
  type CreateWebhook,
  type Delivery,
  type EventEnvelope,
  type EventType,
  type Webhook,
  type WebhookSecretAnswer,
} from '@postroom/contracts';
import { TestService } from '@postroom/service-testing';
import { eventually, until } from '@postroom/testing/until';
import { webhooksService } from '../webhook-dispatcher-app.js';

/** Attempts without the waits of a deployment. */
const quickEnvironment = {
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
  WEBHOOK_RETRY_DELAYS_MS: '0,20ms,20ms,20ms',
};

/** An event to be emitted: what is not given does not matter. */
export type GivenEvent = Partial<Omit<EventEnvelope, 'resource'>> & {
  readonly tenantId: string;
  readonly resource?: string;
};

let events = 0;

/** An event of a workspace, as another service's outbox would have it. */
export function anEvent({ resource = newId('ctc'), ...given }: GivenEvent): EventEnvelope {
  const type: EventType = given.type ?? 'contact.created';
  events += 1;
  return {
    id: newId('evn'),
    type,
    occurredAt: new Date().toISOString(),
    apiVersion: 'v1',
    resource: { type: eventPayloads[type].resource ?? 'anything', id: resource },
    sequence: events,
    actor: { type: 'system', id: null },
    source: 'api',
    data: { name: `Nº ${events}`, filler: randomBytes(8).toString('hex') },
    previous: null,
    ...given,
  };
}

/** The webhook dispatcher, spoken to as the gateway and the bus do. */
export class WebhooksTestService extends TestService {
  /** Records of the audit that left, as the gateway takes them. */
  readonly audited: { readonly action: string; readonly subjectId: string | null }[] = [];

  /** Events for members, as the gateway receives them. */
  readonly notices: object[] = [];

  /** Launches it with somebody who takes audit records: the outbox waits while nobody does. */
  static async start(env: NodeJS.ProcessEnv = {}): Promise<WebhooksTestService> {
    const service = await WebhooksTestService.launch(webhooksService, {
      ...quickEnvironment,
      ...env,
    });
    await service.bus.subscribe(auditConsumer, ['audit'], async ({ envelope }) => {
      const { records } = JSON.parse(envelope) as { records: typeof service.audited };
      service.audited.push(...records);
    });
    await service.bus.subscribe(streamConsumer, ['webhooks'], async ({ type, envelope }) => {
      service.notices.push({ type, ...(JSON.parse(envelope) as object) });
    });
    return service;
  }

  /**
   * Delivers events by the bus, as the outbox does: again when that takes longer than the bus waits for.
   * Resolves when they are recorded.
   */
  async emit(...given: EventEnvelope[]): Promise<void> {
    for (const { id } of given) this.foreignEvents.add(id);
    const records = given.map((event) => ({
      id: event.id,
      type: event.type,
      tenantId: event.tenantId,
      resource: event.resource.id,
      envelope: JSON.stringify(event),
    }));
    await until(async () => {
      const { failure } = await this.bus.emit(records);
      const isLate = failure instanceof BusUnavailable && failure.reason === 'deadline';
      if (failure && !isLate) throw failure;
      return !failure;
    });
  }

  async subscribeTo(
    admin: MemberCaller,
    url: string,
    given: Partial<CreateWebhook> = {},
  ): Promise<WebhookSecretAnswer> {
    const input = { events: [], description: '', ...given, url };
    const answer = await this.call<WebhookSecretAnswer>(webhooks.create, input, { caller: admin });
    if (answer.status !== 201) throw new Error(`not subscribed: ${answer.text}`);
    return answer.body;
  }

  async webhook(admin: MemberCaller, id: string): Promise<Webhook | undefined> {
    const { body } = await this.call<{ items: Webhook[] }>(webhooks.list, {}, { caller: admin });
    return body.items.find((one) => one.id === id);
  }

  async history(admin: MemberCaller, id: string): Promise<Delivery[]> {
    const input = { id, limit: 100 };
    const answer = await this.call<{ items: Delivery[] }>(deliveries.list, input, {
      caller: admin,
    });
    return answer.body.items;
  }

  /** The history once nothing in it is pending. */
  settled(admin: MemberCaller, id: string, count = 1): Promise<Delivery[]> {
    return eventually(
      () => this.history(admin, id),
      (found) => found.length >= count && found.every(({ status }) => status !== 'pending'),
    );
  }
}

let refusals = 0;

/**
 * Has PostgreSQL refuse rows, as with a full disk (53100).
 * @param writes `INSERT ON events`, `UPDATE ON attempts`
 * @returns what has it take them again
 */
export async function refusingRows(
  service: WebhooksTestService,
  writes: string,
  code: string,
): Promise<() => Promise<void>> {
  refusals += 1;
  const name = `refusal_${refusals}`;
  const define = (body: string): Promise<object[]> =>
    service.rows(
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$`,
    );
  await define(`RAISE EXCEPTION 'no space left on device' USING ERRCODE = '${code}'`);
  await service.rows(
    `CREATE TRIGGER ${name} BEFORE ${writes} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  );
  // The trigger stays: to drop it would take locks that writers hold.
  return async () => {
    await define('RETURN NEW');
  };
}
