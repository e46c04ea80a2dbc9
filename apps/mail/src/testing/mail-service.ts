import { randomBytes, randomUUID } from 'node:crypto';
import { callerKey, type Caller } from '@postroom/access';
import { ByReferenceBus, InProcessBus, type EventRecord } from '@postroom/bus';
import {
  conversations,
  eventGroups,
  mailboxes,
  type EventGroup,
  type ConversationItem,
  type ConversationPage,
  type EventEnvelope,
  type InputOf,
  type Mailbox,
  type MailboxAnswer,
  type Operation,
} from '@postroom/contracts';
import { OperationClient, type UnknownReferences } from '@postroom/operations';
import { blobsSchema, PostgresBlobs } from '@postroom/persistence';
import { createLog, loadConfig } from '@postroom/service';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { createTransport, type SendMailOptions, type SentMessageInfo } from 'nodemailer';
import { Client } from 'pg';
import { createMailApp, MailConfig, mailSchema, type MailApp } from '../index.js';
import { aKey, anAdmin } from './callers.js';
import { declaredEvent } from './published-events.js';

const eventGroupNames = Object.keys(eventGroups) as EventGroup[];

/** What an operation answered. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly problem: string | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
  readonly body: T;
}

interface CallOptions {
  readonly caller?: Caller;
  readonly idempotencyKey?: string;
  readonly preview?: boolean;
  readonly unknownReferences?: UnknownReferences;
  /** The row's own, when not said. */
  readonly timeoutMs?: number;
}

/** What the audit holds of a change. */
export interface Audited {
  readonly action: string;
  readonly subjectId: string | null;
  readonly actorType: string;
  readonly actorId: string | null;
}

/** A mail service with a database of its own, spoken to as the gateway and mail clients do. */
export class MailService {
  /** Lines of the log. */
  readonly log: string[] = [];
  /** What the relay has taken out of the outbox. */
  private readonly published: EventRecord[] = [];

  private constructor(
    readonly database: TestDatabase<'mail' | 'blobs'>,
    /** Looks at tables, past every policy. */
    readonly admin: Client,
    private readonly bus: InProcessBus,
    private readonly blobs: PostgresBlobs,
    private readonly client: OperationClient,
    private readonly created: (service: MailService) => Promise<MailApp>,
    private app: MailApp | null = null,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<MailService> {
    const database = await createTestDatabase([mailSchema, blobsSchema]);
    const key = randomBytes(32);
    const bus = new InProcessBus();
    const signing = callerKey(key);
    const blobs = new PostgresBlobs({ url: database.urls.blobs, onTrouble: () => undefined });
    const log = createLog({ level: 'silent', format: 'json' });
    const gatewayBus = new ByReferenceBus(bus, blobs, log);
    const client = new OperationClient(gatewayBus, { mail: signing, access: signing });
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = mail, public');
    const config = loadConfig(MailConfig, {
      DATABASE_URL: database.urls.mail,
      BLOBS_DATABASE_URL: database.urls.blobs,
      CALLER_KEY: key.toString('base64'),
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
      SMTP_PORT: '0',
      SMTP_HOSTNAME: 'mx.test',
      ...env,
    });
    const service = new MailService(database, admin, bus, blobs, client, ({ log: lines }) => {
      const to = { write: (line: string) => lines.push(line) };
      return createMailApp(config, { bus, log: createLog({ level: 'info', format: 'json', to }) });
    });
    service.app = await service.created(service);
    await bus.subscribe('spec', eventGroupNames, (event) => {
      service.published.push(event);
      return Promise.resolve();
    });
    await service.app.listen();
    return service;
  }

  get smtpPort(): number {
    return this.running.mailPorts().smtp;
  }

  /** Where it was started with LMTP_PORT. */
  get lmtpPort(): number {
    const { lmtp } = this.running.mailPorts();
    if (lmtp === null) throw new Error('Nothing listens for LMTP.');
    return lmtp;
  }

  private get running(): MailApp {
    if (!this.app) throw new Error('The mail service has been closed.');
    return this.app;
  }

  /** Stops the service alone; what it kept can still be looked at. */
  async stop(): Promise<void> {
    await this.running.close();
    this.app = null;
  }

  /** As a process that knows nothing but what was kept. */
  async restart(): Promise<void> {
    await this.stop();
    this.app = await this.created(this);
    await this.app.listen();
  }

  /** Fails when an event that the service has told of is not as its type declares. */
  async close(): Promise<void> {
    await this.app?.close();
    const { rows } = await this.admin.query<{ envelope: string }>(
      `SELECT envelope FROM outbox WHERE type <> 'audit.recorded'`,
    );
    await this.end();
    for (const { envelope } of [...this.published, ...rows]) declaredEvent(envelope);
  }

  private async end(): Promise<void> {
    await this.bus.close();
    await this.blobs.close();
    await this.admin.end();
    await this.database.drop();
  }

  async call<T, R extends Operation = Operation>(
    operation: R,
    input: InputOf<R>,
    { caller = aKey(), ...options }: CallOptions = {},
  ): Promise<Answer<T>> {
    const requestId = randomUUID();
    const reply = await this.client.call(operation, caller, input, { requestId, ...options });
    const text = reply.body.toString();
    return { ...reply, text, body: JSON.parse(text) as T };
  }

  /** A new mailbox; of a new workspace, when none is named. */
  async mailbox(given: Partial<Mailbox> & { tenantId?: string } = {}): Promise<MailboxOf> {
    const { tenantId = aKey().tenantId, address = `box-${randomUUID()}@acme.test` } = given;
    const { automation = true } = given;
    const input = { address, automation, access: 'workspace' as const };
    const caller = anAdmin({ tenantId });
    const answer = await this.call<MailboxAnswer>(mailboxes.create, input, { caller });
    if (answer.status !== 201) throw new Error(`mailbox: ${answer.problem}`);
    return { ...answer.body.mailbox, tenantId, caller: aKey({ tenantId }) };
  }

  /** Sends a message with an ordinary mail client. */
  send(mail: SendMailOptions): Promise<SentMessageInfo> {
    const transport = createTransport({ host: '127.0.0.1', port: this.smtpPort, ignoreTLS: true });
    return transport.sendMail({
      from: 'Camille Martin <camille@correspondent.example>',
      subject: 'Question about an order',
      text: 'Hello, where is my order?',
      messageId: `<${randomUUID()}@correspondent.example>`,
      ...mail,
    });
  }

  /** The first page of a mailbox. */
  async list({ address, caller }: MailboxOf, limit = 100): Promise<ConversationItem[]> {
    const input = { mailbox: address, limit, placement: 'inbox' as const };
    const { body } = await this.call<ConversationPage>(conversations.list, input, { caller });
    return body.conversations;
  }

  /** A conversation that a message has begun. */
  async conversation(mailbox: MailboxOf, mail: SendMailOptions = {}): Promise<ConversationItem> {
    await this.send({ to: mailbox.address, ...mail });
    const [newest] = await this.list(mailbox, 1);
    if (!newest) throw new Error('The message did not arrive.');
    return newest;
  }

  /** Events of a workspace in their order, whether they still stand in the outbox or have left it. */
  async events({ tenantId }: { tenantId: string }): Promise<EventEnvelope[]> {
    const { rows } = await this.admin.query<{ envelope: string }>(
      `SELECT envelope FROM outbox WHERE tenant_id = $1 AND type <> 'audit.recorded'`,
      [tenantId],
    );
    const left = this.published.filter((event) => event.tenantId === tenantId);
    const all = [...left, ...rows].map(({ envelope }) => declaredEvent(envelope));
    const once = new Map(all.map((event) => [event.id, event]));
    return [...once.values()].sort(
      (one, other) =>
        one.occurredAt.localeCompare(other.occurredAt) || one.sequence - other.sequence,
    );
  }

  /** Audit records of a workspace, whether they wait or are on their way to be sealed. */
  async audit({ tenantId }: { tenantId: string }): Promise<Audited[]> {
    const { rows } = await this.admin.query<Audited>(
      `SELECT action, subject_id AS "subjectId", actor_type AS "actorType", actor_id AS "actorId"
       FROM audit_records WHERE tenant_id = $1
       UNION ALL
       SELECT r->>'action', r->>'subjectId', r->>'actorType', r->>'actorId'
       FROM outbox, json_array_elements(envelope::json->'records') r
       WHERE tenant_id = $1 AND type = 'audit.recorded'`,
      [tenantId],
    );
    return rows;
  }

  /** The number of rows of a workspace in a table. */
  async count(table: string, { tenantId }: { tenantId: string }): Promise<number> {
    const { rows } = await this.admin.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1`,
      [tenantId],
    );
    return rows[0]?.count ?? 0;
  }
}

/** A mailbox, its workspace, and a key of that workspace. */
export type MailboxOf = Mailbox & { readonly tenantId: string; readonly caller: Caller };
