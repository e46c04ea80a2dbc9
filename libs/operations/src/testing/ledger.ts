import { randomBytes } from 'node:crypto';
import { callerKey, signCaller, type Caller, type KeyCaller } from '@postroom/access';
import type { ReplyEnvelope, RequestEnvelope } from '@postroom/bus';
import { conversations, newId, type CommentAnswer, type Operation } from '@postroom/contracts';
import { Database, statement } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { tenantPolicy } from '@postroom/persistence/provision';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { EntitySchema } from 'typeorm';
import type { EngineHandler, Changing, HandlerOf, Writing } from '../context.js';
import { Engine } from '../engine.js';
import { callable } from '../message-handler.js';
import { serviceSchema } from '../schema.js';
import { aComment, commented } from './payloads.js';
import { openDatabaseLine, type DatabaseLine } from './database-line.js';

const ledgerSchema = serviceSchema({
  name: 'ledger',
  migrations: [
    {
      name: 'counters',
      sql: `
        CREATE TABLE counters (
          tenant_id text COLLATE "C" NOT NULL,
          id text COLLATE "C" NOT NULL,
          value int NOT NULL,
          PRIMARY KEY (tenant_id, id)
        );
        ${tenantPolicy('counters')}`,
    },
  ],
});

/** A counter: how often something was done to what its id names. */
export interface Counter {
  tenantId: string;
  id: string;
  value: number;
}

export const CounterEntity = new EntitySchema<Counter>({
  name: 'Counter',
  tableName: 'counters',
  columns: {
    tenantId: { name: 'tenant_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    value: { type: 'int' },
  },
});

export const bumpCounter = statement<{ value: number }>(
  'ledger.bump',
  `INSERT INTO counters AS c (tenant_id, id, value) VALUES ($1, $2, 1)
   ON CONFLICT (tenant_id, id) DO UPDATE SET value = c.value + 1 RETURNING value`,
);

/** Counts one up, and says how far the counter is now. */
export async function bump({ rows }: Pick<Changing, 'rows'>, id: string): Promise<number> {
  const [counter] = await rows(bumpCounter, [id]);
  if (!counter) throw new Error('an upsert returns its row');
  return counter.value;
}

/** Counts a comment, tells of it, and answers it: no two answers are the same. */
export async function comment(
  context: Writing<typeof conversations.comment>,
  { id, text }: { id: string; text: string },
): Promise<CommentAnswer> {
  const sequence = await bump(context, id);
  const result = aComment(text, context.at);
  const resource = { type: 'conversation', id } as const;
  const data = commented(id, result);
  context.emit({ type: 'conversation.commented', resource, sequence, data });
  return { ok: true, id, result };
}

/** A handler as the operation server gives it to the engine. */
export const handlerOf = <O extends Operation>(
  operation: O,
  handler: HandlerOf<O>,
): EngineHandler => callable(operation, handler);

/** The handler of a comment, with something more to do once it is counted and told of. */
export const commentAnd = (
  more: (context: Writing<typeof conversations.comment>) => unknown = () => undefined,
): EngineHandler =>
  handlerOf(conversations.comment, async (context, input) => {
    const answer = await comment(context, input);
    await more(context);
    return answer;
  });

/** A key of a workspace of its own. */
export const keyCaller = (over: Partial<KeyCaller> = {}): KeyCaller => ({
  type: 'key',
  tenantId: newId('ten'),
  source: 'api',
  keyId: newId('key'),
  name: 'a key',
  kind: 'human',
  approval: null,
  scopes: [],
  grants: {},
  member: null,
  admin: false,
  ...over,
});

/** The input of a comment on a conversation of its own. */
export const commentInput = (over: { id?: string; text?: string } = {}) => ({
  id: newId('cnv'),
  mailbox: 'support@acme.test',
  text: 'hello',
  ...over,
});

/** The parts in which calls differ. */
export interface Call {
  readonly caller?: Caller;
  readonly input?: object;
  readonly key?: string;
  readonly messageId?: string;
  readonly deadlineMs?: number;
  readonly preview?: boolean;
}

/** The rows of a workspace in the ledger. */
export interface Holdings {
  /** Effects, over all counters. */
  readonly effects: number;
  readonly events: number;
  readonly audits: number;
  readonly replies: number;
}

export const nothing: Holdings = { effects: 0, events: 0, audits: 0, replies: 0 };

export interface LedgerOptions {
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
}

/** A service of one table over a real database, as the specs of the engine use it. */
export class Ledger {
  readonly engine: Engine;
  /** The service's key. */
  readonly callerKey = callerKey(randomBytes(32));
  private readonly lines: string[] = [];

  private constructor(
    readonly database: Database,
    /** Between the service and PostgreSQL. */
    readonly line: DatabaseLine,
    private readonly admin: Client,
    private readonly testDatabase: TestDatabase<'ledger'>,
  ) {
    const to = { write: (line: string) => void this.lines.push(line) };
    const log = createLog({ level: 'trace', format: 'json', to });
    this.engine = new Engine({ database, callerKey: this.callerKey, log });
  }

  static async open(options: LedgerOptions = {}): Promise<Ledger> {
    const testDatabase = await createTestDatabase([ledgerSchema]);
    const admin = new Client({ connectionString: testDatabase.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = ledger');
    const line = await openDatabaseLine(testDatabase.urls.ledger);
    const database = await Database.connect({
      url: line.url,
      schema: 'ledger',
      entities: [CounterEntity],
      ...options,
    });
    return new Ledger(database, line, admin, testDatabase);
  }

  /** The URL that the service signs in with. */
  get url(): string {
    return this.testDatabase.urls.ledger;
  }

  /** A further connection of the administrator. */
  async another(): Promise<Client> {
    const client = new Client({ connectionString: this.testDatabase.adminUrl });
    await client.connect();
    await client.query('SET search_path = ledger');
    return client;
  }

  /** Runs SQL past every policy. */
  async sql<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.admin.query<R>(text, [...values])).rows;
  }

  /** A request as the gateway signs it. */
  request(operation: Operation, call: Call = {}): RequestEnvelope {
    const { caller = keyCaller(), input = commentInput(), key = null, preview = false } = call;
    const { messageId = newId('req'), deadlineMs = Date.now() + 10_000 } = call;
    const request = {
      id: messageId,
      operation: operation.id,
      deadlineMs,
      caller: JSON.stringify(caller),
      idempotencyKey: key,
      preview,
      requestId: `http-${messageId}`,
      traceparent: null,
      orderKey: null,
      references: null,
      replyTo: 'postroom.replies.one',
      input: Buffer.from(JSON.stringify(input)),
    };
    return { ...request, signature: signCaller(this.callerKey, request) };
  }

  run(operation: Operation, handler: EngineHandler, call: Call = {}): Promise<ReplyEnvelope> {
    return this.engine.handleRequest(this.request(operation, call), handler);
  }

  async holdings(tenantId: string): Promise<Holdings> {
    const [held] = await this.sql<Holdings>(
      `SELECT (SELECT coalesce(sum(value), 0)::int FROM counters WHERE tenant_id = $1) AS effects,
              (SELECT count(*)::int FROM outbox WHERE tenant_id = $1) AS events,
              (SELECT count(*)::int FROM audit_records WHERE tenant_id = $1) AS audits,
              (SELECT count(*)::int FROM replies WHERE tenant_id = $1) AS replies`,
      [tenantId],
    );
    return held ?? nothing;
  }

  /** Takes the lines logged since the last call. */
  logged(): unknown[] {
    return this.lines.splice(0).map((line): unknown => JSON.parse(line));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.line.close();
    await this.admin.end();
    await this.testDatabase.drop();
  }
}
