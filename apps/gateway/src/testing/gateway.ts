import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerKey, newApiKey, newSessionToken, type CallerKey } from '@postroom/access';
import { InProcessBus } from '@postroom/bus';
import {
  gatewayService,
  newId,
  serviceNames,
  variablePrefix,
  type Approval,
  type ContainerRef,
  type KeyKind,
  type MailboxAccess,
  type Role,
  type Scope,
  type ServiceName,
} from '@postroom/contracts';
import { OperationClient, type Service } from '@postroom/operations';
import { blobsSchema } from '@postroom/persistence';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import { ServiceStandIn } from '@postroom/service-testing';
import { cheapPassword, createTestDatabase, freePort, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { accessSchema, createGatewayApp, GatewayConfig } from '../index.js';
import { bodyOf, send, type Answer, type Ask } from './http.js';
import { MailStandIn } from './mail-stand-in.js';

/** The password of members whom a spec signs in. */
export const password = 'correct horse battery staple';

/** A member, signed in. */
export interface SomeMember {
  readonly id: string;
  readonly email: string;
  /** For the `Cookie` header. */
  readonly cookie: string;
}

/** A workspace with its first administrator. */
export interface SomeWorkspace {
  readonly id: string;
  readonly name: string;
  readonly admin: SomeMember;
}

/** Rights of a key; all that is left out is small. */
export interface SomeRights {
  readonly kind?: KeyKind;
  readonly approval?: Approval;
  readonly scopes?: readonly Scope[];
  readonly grants?: Readonly<Record<string, MailboxAccess>>;
  readonly member?: SomeMember;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

const nobodysPassword = cheapPassword(randomUUID());

/**
 * The gateway on a database and a port of its own, beside a mail service that a spec speaks for. Long, since
 * what a spec may do to it stands in one place.
 */
export class Gateway {
  /** Lines of the log. */
  readonly log: string[] = [];
  /** Books and calendars that members may see. */
  readonly elsewhere: ContainerRef[] = [];
  /** Stands where the scheduling service does; a spec may speak for it. */
  readonly scheduling: ServiceStandIn;
  /** Stands where the service of MCP does; a spec may speak for it. */
  readonly mcp: ServiceStandIn;
  /** Takes the mail service away from the bus, until {@link mailComes}. */
  mailGoes: () => Promise<void> = () => Promise.resolve();
  private running: Service | null = null;
  private isGuest = false;

  private constructor(
    readonly database: TestDatabase<'access' | 'blobs'>,
    /** Looks at tables, past every policy. */
    readonly admin: Client,
    readonly bus: InProcessBus,
    readonly mail: MailStandIn,
    readonly port: number,
    private readonly env: NodeJS.ProcessEnv,
    serviceKey: CallerKey,
  ) {
    this.scheduling = new ServiceStandIn('scheduling', bus, serviceKey);
    this.mcp = new ServiceStandIn('mcp', bus, serviceKey);
  }

  /** With limits that no spec reaches by accident. */
  static async start(env: NodeJS.ProcessEnv = {}): Promise<Gateway> {
    return Gateway.on(await createTestDatabase([accessSchema, blobsSchema]), env);
  }

  private static async on(
    database: TestDatabase<'access' | 'blobs'>,
    env: NodeJS.ProcessEnv,
  ): Promise<Gateway> {
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = access, public');
    const bus = new InProcessBus();
    const serviceKey = randomBytes(32);
    const mail = new MailStandIn(bus, callerKey(serviceKey));
    const port = await freePort();
    const gateway = new Gateway(
      database,
      admin,
      bus,
      mail,
      port,
      {
        DATABASE_URL: database.urls.access,
        BLOBS_DATABASE_URL: database.urls.blobs,
        PORT: String(port),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        AUDIT_KEY: randomBytes(32).toString('base64'),
        CALLER_KEY: randomBytes(32).toString('base64'),
        SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
        ...Object.fromEntries(
          serviceNames.map((name) => [
            `${variablePrefix(name)}_CALLER_KEY`,
            serviceKey.toString('base64'),
          ]),
        ),
        RATE_LIMIT_PER_MINUTE: '1000000',
        MEMBER_RATE_LIMIT_PER_MINUTE: '1000000',
        ...env,
      },
      callerKey(serviceKey),
    );
    await standInForOthers(bus, callerKey(serviceKey), gateway);
    await gateway.mailComes();
    await gateway.open();
    return gateway;
  }

  /** Another instance on the same database, with a bus and a mail service of its own; close it first. */
  async beside(env: NodeJS.ProcessEnv = {}): Promise<Gateway> {
    const { AUDIT_KEY } = this.env;
    const other = await Gateway.on(this.database, { AUDIT_KEY, ...env });
    other.isGuest = true;
    return other;
  }

  /** The gateway itself, while it runs. */
  get app(): Service {
    if (!this.running) throw new Error('The gateway has been stopped.');
    return this.running;
  }

  /** Another gateway on the same database and bus, not listening. */
  create(env: NodeJS.ProcessEnv = {}): Promise<Service> {
    const to = { write: (line: string) => this.log.push(line) };
    return createGatewayApp(loadConfig(GatewayConfig, { ...this.env, ...env }), {
      bus: this.bus,
      log: createLog({ level: 'info', format: 'json', to }),
      health: new Health([]),
      metrics: new Metrics(),
    });
  }

  /** Starts it again after {@link stop}, with other settings if need be. */
  async open(env: NodeJS.ProcessEnv = {}): Promise<void> {
    this.running = await this.create(env);
    await this.running.listen();
  }

  async mailComes(): Promise<void> {
    this.mailGoes = await this.mail.serve();
  }

  /** Stops it alone; database and bus stay. */
  async stop(): Promise<void> {
    const { app } = this;
    this.running = null;
    await app.close();
  }

  /** Stops and starts it: what was written after answers is there then. */
  async restart(env: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.stop();
    await this.open(env);
  }

  async close(): Promise<void> {
    await this.running?.close();
    await this.bus.close();
    await this.admin.end();
    if (!this.isGuest) await this.database.drop();
  }

  /** Calls the gateway over the bus as another service does, with that service's key. */
  client(service: ServiceName): OperationClient {
    const key = this.env[`${variablePrefix(service)}_CALLER_KEY`] ?? '';
    return new OperationClient(this.bus, { [service]: callerKey(Buffer.from(key, 'base64')) });
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  send(path: string, ask?: Ask): Promise<Answer> {
    return send(this.url(path), ask);
  }

  /** A request of the public API with a key. */
  ask(key: string, path: string, { headers, ...ask }: Ask = {}): Promise<Answer> {
    return this.send(`/public${path}`, { ...ask, headers: { 'x-api-key': key, ...headers } });
  }

  /** A request of the settings API as a signed-in member. */
  settings({ cookie }: SomeMember, method: string, path: string, body?: object): Promise<Answer> {
    const ask = { method, headers: { cookie }, ...(body && { body }) };
    return this.send(`/settings/api${path}`, ask);
  }

  /** A member with {@link password} or the one that is given; without one whom the administrator invites. */
  async person(
    { id: tenantId, admin }: SomeWorkspace,
    { password: known, ...given }: { password?: string; email?: string } = { password },
  ): Promise<Omit<SomeMember, 'cookie'>> {
    const { email = `person-${randomUUID()}@acme.test` } = given;
    if (known !== undefined)
      return this.insertMember(tenantId, { email, name: 'Robin', stored: cheapPassword(known) });
    const made = await this.settings(admin, 'POST', '/members', { email, name: 'Robin' });
    return bodyOf(made)['member'] as { id: string; email: string };
  }

  signIn(email: string, given: object = {}, headers: Ask['headers'] = {}): Promise<Answer> {
    const body = { email, password, ...given };
    return this.send('/settings/api/session', { method: 'POST', headers, body });
  }

  async rows<R extends object>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.admin.query<R>(sql, [...values])).rows;
  }

  /** A change past the API: waits, as the API does, until it is in force. */
  async change(sql: string, values: readonly unknown[] = []): Promise<void> {
    await this.rows(sql, values);
    const outdated = 'SELECT outdated FROM outdated_leases(null)';
    while ((await this.rows<{ outdated: boolean }>(outdated))[0]?.outdated) await sleep(5);
  }

  /** Audit records of a workspace, sealed or not, oldest first. */
  audit({ id }: { readonly id: string }): Promise<AuditRecord[]> {
    const columns = 'id, action, subject_id, actor_id, request_id';
    return this.rows<AuditRecord>(
      `SELECT action, subject_id AS "subjectId", actor_id AS "actorId", request_id AS "requestId"
       FROM (SELECT ${columns} FROM audit_records WHERE tenant_id = $1
             UNION ALL SELECT ${columns} FROM audit_entries WHERE tenant_id = $1) known
       ORDER BY id`,
      [id],
    );
  }

  /** Waits until every audit record of a workspace is sealed. */
  async sealed({ id }: { readonly id: string }): Promise<void> {
    const waiting = 'SELECT FROM audit_records WHERE tenant_id = $1';
    while ((await this.rows(waiting, [id])).length > 0) await sleep(20);
  }

  async workspace(name = `workspace-${randomUUID()}`, id = newId('ten')): Promise<SomeWorkspace> {
    const values = [id, name];
    await this.rows(
      'INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, $2, now())',
      values,
    );
    return { id, name, admin: await this.member({ id }, 'admin') };
  }

  /** A signed-in member with an unknown password. */
  async member(workspace: { readonly id: string }, role: Role = 'member'): Promise<SomeMember> {
    const email = `${role}-${randomUUID()}@postroom.test`;
    const given = { email, name: 'Sam', stored: nobodysPassword, role, canApprove: true };
    const member = await this.insertMember(workspace.id, given);
    return { ...member, cookie: await this.session(workspace, member.id) };
  }

  private async insertMember(
    tenantId: string,
    given: { email: string; name: string; stored: string; role?: Role; canApprove?: boolean },
  ): Promise<Omit<SomeMember, 'cookie'>> {
    const { email, name, stored, role = 'member', canApprove = false } = given;
    const id = newId('mbr');
    await this.rows(
      `INSERT INTO members (id, tenant_id, email, name, role, can_approve, password_hash, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now())`,
      [id, tenantId, email, name, role, canApprove, stored],
    );
    return { id, email };
  }

  /** Another session of a member: the `Cookie` header. */
  async session({ id }: { readonly id: string }, memberId: string): Promise<string> {
    const { token, tokenHash } = newSessionToken();
    await this.rows(
      `INSERT INTO sessions (id, tenant_id, member_id, token_hash, created_at, seen_at)
       VALUES ($1, $2, $3, $4, now(), now())`,
      [newId('ses'), id, memberId, tokenHash],
    );
    return `postroom_session=${token}`;
  }

  /** A key in clear. */
  async key({ id: tenantId }: { readonly id: string }, rights: SomeRights = {}): Promise<string> {
    const { kind = 'human', scopes = ['read:conversations'], grants = {} } = rights;
    const id = newId('key');
    const { token, secretHash, hint } = newApiKey(kind, id.slice('key_'.length));
    await this.rows(
      `INSERT INTO keys (id, tenant_id, name, kind, approval, scopes, grants, member_id, admin,
         secret_hash, hint, created_at, expires_at, revoked_at)
       VALUES ($1, $2, 'A key', $3, $4, $5, $6, $7, false, $8, $9, now(), $10, $11)`,
      [
        ...[id, tenantId, kind, kind === 'agent' ? (rights.approval ?? 'none') : null, scopes],
        ...[grants, rights.member?.id, secretHash, hint, rights.expiresAt, rights.revokedAt],
      ],
    );
    return token;
  }
}

export interface AuditRecord {
  readonly action: string;
  readonly subjectId: string | null;
  readonly actorId: string | null;
  readonly requestId: string | null;
}

/** The id of a key's row, which is part of the key. */
export const idOfKey = (token: string): string => `key_${token.split('_')[2]}`;

/** Services in which nothing has happened, and nothing waits; members see these containers. */
async function standInForOthers(
  bus: InProcessBus,
  key: CallerKey,
  { elsewhere, scheduling, mcp }: Pick<Gateway, 'elsewhere' | 'scheduling' | 'mcp'>,
): Promise<void> {
  const others = serviceNames.filter((name) => name !== gatewayService && name !== 'mail');
  for (const name of others) {
    const service = { scheduling, mcp }[name as string] ?? new ServiceStandIn(name, bus, key);
    service.answer = () => ({
      body: {
        ...{ counts: [], quotas: [], waiting: 0, containers: elsewhere },
        ...{ addressBooks: [], calendars: [] },
        ...{ aheadMs: 0, nextMs: null, isBusy: false, published: [] },
      },
    });
    await service.serve();
  }
}
