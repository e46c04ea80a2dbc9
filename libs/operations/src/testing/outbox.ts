import { newId, systemActor } from '@postroom/contracts';
import { Database, Listener } from '@postroom/persistence';
import { createLog } from '@postroom/service';
import { startRelay, type Relay, type RelayOptions } from '../relay.js';
import { UnitOfWork } from '../unit-of-work.js';
import { bump, type Ledger } from './ledger.js';
import { commented } from './payloads.js';

/** A replica of the service: connections of its own, a relay when one is started. */
export class Replica {
  private readonly lines: string[] = [];
  private readonly relays: Relay[] = [];

  private constructor(
    readonly database: Database,
    private readonly listener: Listener,
  ) {}

  static async open({ url }: Ledger): Promise<Replica> {
    const database = await Database.connect({ url, schema: 'ledger', entities: [], poolSize: 8 });
    return new Replica(database, new Listener({ url }));
  }

  relay(bus: RelayOptions['bus'], options: Partial<RelayOptions> = {}): Relay {
    const { database, listener } = this;
    const to = { write: (line: string) => void this.lines.push(line) };
    const log = createLog({ level: 'info', format: 'json', to });
    const times = { gatherMs: 1, backoffMaxMs: 50 };
    const relay = startRelay({
      database,
      listener,
      bus,
      log,
      schema: 'ledger',
      publisher: 'mail',
      ...times,
      ...options,
    });
    this.relays.push(relay);
    return relay;
  }

  /** A change of a resource that tells of it; a batch of them when several ids are given. */
  async tell(tenantId: string, ...resources: string[]): Promise<void> {
    const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
    await new UnitOfWork(this.database).change(origin, null, async (changing) => {
      for (const id of resources) {
        const sequence = await bump(changing, id);
        const resource = { type: 'conversation', id } as const;
        const data = commented(id);
        changing.emit({ type: 'conversation.commented', resource, sequence, data });
      }
      return { value: null };
    });
  }

  /** Messages logged since this was last asked. */
  logged(): unknown[] {
    return this.lines.splice(0).map((line) => (JSON.parse(line) as { msg: string }).msg);
  }

  async close(): Promise<void> {
    await Promise.all(this.relays.map((relay) => relay.stop()));
    await this.listener.close();
    await this.database.close();
  }
}

/** A row of the outbox, written past every policy. */
export async function insertEvent(
  ledger: Ledger,
  event: {
    tenantId: string;
    resource: string;
    sequence: number;
    type?: string;
    padding?: string;
    /** ISO 8601; without it the event is of no known age. */
    occurredAt?: string;
  },
): Promise<string> {
  const { tenantId, resource, sequence, type = 'conversation.received' } = event;
  const { padding = '', occurredAt } = event;
  const id = newId('evn');
  await ledger.sql(
    `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [tenantId, id, type, resource, sequence, JSON.stringify({ sequence, padding, occurredAt })],
  );
  return id;
}

export const waiting = async (ledger: Ledger): Promise<number> => {
  const [row] = await ledger.sql<{ n: number }>(
    'SELECT count(*)::int AS n FROM outbox WHERE refusal IS NULL',
  );
  return row?.n ?? 0;
};
