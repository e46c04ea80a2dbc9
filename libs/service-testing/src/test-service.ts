import { randomBytes, randomUUID } from 'node:crypto';
import { callerKey, type Caller, type CallerKey } from '@postroom/access';
import { ByReferenceBus, InProcessBus, type EventRecord } from '@postroom/bus';
import {
  builtIns,
  eventGroups,
  filesAudit,
  internalEventGroups,
  recordOf,
  FileAnswer,
  serviceNames,
  type EventEnvelope,
  type EventGroup,
  type InputOf,
  type Operation,
  type Quotas,
  type ServiceName,
  type ServiceQuotas,
} from '@postroom/contracts';
import {
  OperationClient,
  type CallOptions,
  type Service,
  type ServiceConfig,
  type ServiceDefinition,
} from '@postroom/operations';
import { blobsSchema, PostgresBlobs } from '@postroom/persistence';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { aKey } from './callers.js';
import { requireDeclaredAnswer } from './declared-answer.js';
import { declaredEvent } from './declared-event.js';

const groups = Object.keys(eventGroups) as EventGroup[];

/** The answer of an operation. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly problem: string | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
  readonly bytes: Buffer;
  readonly body: T;
}

/** The options of a call; without a caller, a key of a new workspace calls. */
export type TestCall = Partial<CallOptions> & { readonly caller?: Caller };

/** The audit record of a change. */
export interface Audited {
  readonly action: string;
  readonly subjectId: string | null;
  readonly actorType: string;
  readonly actorId: string | null;
}

/** The parts of a test service. */
export interface TestServiceParts<S extends Service> {
  readonly name: ServiceName;
  readonly database: TestDatabase<ServiceName | 'blobs'>;
  /** Looks at tables, past every policy. */
  readonly admin: Client;
  readonly bus: InProcessBus;
  readonly blobs: PostgresBlobs;
  readonly client: OperationClient;
  /** Starts the service as a process that knows nothing but what was kept. */
  readonly start: (log: string[]) => Promise<S>;
  /** Metrics of the process that was started last. */
  readonly metrics: () => Metrics;
}

type Workspace = Pick<Caller, 'tenantId'>;

/** A service of any kind on a database of its own, spoken to as the gateway does. */
export class TestService<S extends Service = Service> {
  /** Lines of the log. */
  readonly log: string[] = [];
  readonly admin: Client;
  readonly bus: InProcessBus;
  readonly database: TestServiceParts<S>['database'];
  /** Ids of events that a spec emits itself, as other services do; they are not this service's to answer for. */
  protected readonly foreignEvents = new Set<string>();
  /** Events that have left the outbox. */
  private readonly published: EventRecord[] = [];
  private running: S | null = null;

  constructor(private readonly parts: TestServiceParts<S>) {
    this.admin = parts.admin;
    this.bus = parts.bus;
    this.database = parts.database;
  }

  /**
   * Starts a service, and whatever subclass this is called on around it.
   * @param env settings beside those that every service needs
   */
  static async launch<C extends ServiceConfig, S extends Service, T extends TestService<S>>(
    this: new (parts: TestServiceParts<S>) => T,
    definition: ServiceDefinition<C, S>,
    env: NodeJS.ProcessEnv = {},
  ): Promise<T> {
    const started = new this(await partsOf(definition, env));
    await started.subscribe();
    await started.open();
    return started;
  }

  /** The service itself, while it runs. */
  get service(): S {
    if (!this.running) throw new Error('The service has been stopped.');
    return this.running;
  }

  get metrics(): Metrics {
    return this.parts.metrics();
  }

  private async subscribe(): Promise<void> {
    await this.bus.subscribe('spec', groups, async (event) => {
      if (!this.foreignEvents.has(event.id)) this.published.push(event);
    });
  }

  private async open(): Promise<void> {
    this.running = await this.parts.start(this.log);
    await this.running.listen();
  }

  /** Stops the service alone; what it kept can still be looked at. */
  async stop(): Promise<void> {
    await this.service.close();
    this.running = null;
  }

  /** As a process that knows nothing but what was kept. */
  async restart(): Promise<void> {
    await this.stop();
    await this.open();
  }

  /** Fails when an event of the service is not as its type declares, or the audit would not believe a record. */
  async close(): Promise<void> {
    await this.running?.close();
    const waiting = await this.waitingEvents();
    const audited = await this.auditedActions();
    await this.bus.close();
    await this.parts.blobs.close();
    await this.admin.end();
    await this.database.drop();
    for (const { envelope } of [...this.published, ...waiting]) declaredEvent(envelope);
    const { name } = this.parts;
    const foreign = audited.filter(({ action }) => !filesAudit(name, action));
    if (foreign.length > 0) throw new Error(`no audit of ${name}: ${JSON.stringify(foreign)}`);
  }

  /** The use of the service's quotas by a workspace. */
  async usage(caller: Caller): Promise<Partial<Quotas>> {
    const { body } = await this.call<ServiceQuotas>(
      builtIns[this.parts.name].quotas,
      {},
      { caller },
    );
    return Object.fromEntries(body.quotas.map(({ name, ...quota }) => [name, quota]));
  }

  async call<T, O extends Operation = Operation>(
    operation: O,
    input: InputOf<O>,
    { caller = aKey(), requestId = randomUUID(), ...options }: TestCall = {},
  ): Promise<Answer<T>> {
    const reply = await this.parts.client.call(operation, caller, input, { requestId, ...options });
    const text = reply.body.toString();
    const type = reply.headers['content-type'];
    const isFile = operation.output === FileAnswer && !String(type).includes('json');
    const bytes = reply.body;
    const answer = { ...reply, bytes, text, body: (isFile ? text : JSON.parse(text)) as T };
    if (!options.preview) requireDeclaredAnswer(operation, answer);
    return answer;
  }

  async rows<R extends object>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.admin.query<R>(sql, [...values])).rows;
  }

  /** Events of a workspace in their order, whether they still stand in the outbox or have left it. */
  async events({ tenantId }: Workspace): Promise<EventEnvelope[]> {
    // In this order: what is published meanwhile would be in neither otherwise.
    const waiting = await this.waitingEvents();
    const records = [...this.published, ...waiting];
    const all = records
      .map(({ envelope }) => declaredEvent(envelope))
      .filter((event) => event.tenantId === tenantId);
    const once = new Map(all.map((event) => [event.id, event]));
    return [...once.values()].sort(
      (one, other) =>
        one.occurredAt.localeCompare(other.occurredAt) || one.sequence - other.sequence,
    );
  }

  private waitingEvents(): Promise<{ envelope: string }[]> {
    const internal = Object.values(internalEventGroups).flat();
    return this.rows('SELECT envelope FROM outbox WHERE type <> ALL ($1)', [internal]);
  }

  /** The audit records of the service, of all workspaces. */
  private auditedActions(): Promise<{ action: string }[]> {
    return this.rows(
      `SELECT action FROM audit_records
       UNION
       SELECT r->>'action' FROM outbox, json_array_elements(envelope::json->'records') r
       WHERE type = 'audit.recorded'`,
    );
  }

  /** Audit records of a workspace, whether they wait or are on their way to be sealed. */
  audit({ tenantId }: Workspace): Promise<Audited[]> {
    return this.rows(
      `SELECT action, subject_id AS "subjectId", actor_type AS "actorType", actor_id AS "actorId"
       FROM audit_records WHERE tenant_id = $1
       UNION ALL
       SELECT r->>'action', r->>'subjectId', r->>'actorType', r->>'actorId'
       FROM outbox, json_array_elements(envelope::json->'records') r
       WHERE tenant_id = $1 AND type = 'audit.recorded'`,
      [tenantId],
    );
  }

  /** The number of rows of a workspace in a table. */
  async count(table: string, { tenantId }: Workspace): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1`;
    return (await this.rows<{ count: number }>(sql, [tenantId]))[0]?.count ?? 0;
  }
}

async function partsOf<C extends ServiceConfig, S extends Service>(
  { name, config, schema, create }: ServiceDefinition<C, S>,
  env: NodeJS.ProcessEnv,
): Promise<TestServiceParts<S>> {
  const database = await createTestDatabase<ServiceName | 'blobs'>([schema, blobsSchema]);
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query(`SET search_path = ${schema.name}, public`);
  const key = randomBytes(32);
  const bus = new InProcessBus();
  const blobs = new PostgresBlobs({ url: database.urls.blobs, onTrouble: () => undefined });
  const gatewayBus = new ByReferenceBus(bus, blobs, createLog({ level: 'silent', format: 'json' }));
  const keys = recordOf<ServiceName, CallerKey>(serviceNames, () => callerKey(key));
  const settings = loadConfig(config, {
    DATABASE_URL: database.urls[name],
    BLOBS_DATABASE_URL: database.urls.blobs,
    CALLER_KEY: key.toString('base64'),
    SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ...env,
  });
  let metrics = new Metrics();
  return {
    ...{ name, database, admin, bus, blobs },
    metrics: () => metrics,
    client: new OperationClient(gatewayBus, keys),
    start: (lines) => {
      const to = { write: (line: string) => lines.push(line) };
      const log = createLog({ level: 'info', format: 'json', to });
      metrics = new Metrics();
      return create(settings, { bus, log, health: new Health([]), metrics });
    },
  };
}
