import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keyring } from '@postroom/access';
import { newId, webhookSecret } from '@postroom/contracts';
import { subscriptionSeals } from '@postroom/webhook-dispatcher';
import type { Client } from 'pg';

/** The tables of the dispatcher, filled and looked at past every policy. */
export class Queue {
  readonly tenantId = newId('ten');
  private filled = 0;

  constructor(
    private readonly admin: Client,
    private readonly keyring: Keyring,
  ) {}

  /** A subscription to all events. @returns its id */
  async subscribe(url: string, status: 'active' | 'paused'): Promise<string> {
    const id = newId('whk');
    const sealed = this.keyring.encrypt(
      webhookSecret(randomBytes(32)),
      subscriptionSeals.secret,
      id,
    );
    await this.admin.query(
      `INSERT INTO webhooks.subscriptions (tenant_id, id, url, events, description, status, sealed_secret,
         active_since, created_at, updated_at)
       VALUES ($1, $2, $3, '{}', '', $4, $5, now() - interval '1 day', now(), now())`,
      [this.tenantId, id, url, status, sealed],
    );
    return id;
  }

  async remove(id: string): Promise<void> {
    await this.admin.query('DELETE FROM webhooks.subscriptions WHERE id = $1', [id]);
  }

  /** Deliveries of events of as many resources, `each` of them to each subscription. */
  async fill(subscriptions: readonly string[], each: number, body: string): Promise<void> {
    const from = this.filled;
    this.filled += each;
    const now = Math.floor(Date.now() / 86_400_000);
    const slots = [now % 16, Math.floor(now / 7) % 10];
    await this.admin.query(
      `INSERT INTO webhooks.events (day, tenant_id, position, event_id, type, resource, sequence, envelope)
       SELECT $1, $2, n, 'evn_' || $2 || n, 'contact.created', 'ctc_' || n, 1, $5
       FROM generate_series($3::int + 1, $3 + $4) n`,
      [slots[0], this.tenantId, from, each, body],
    );
    await this.admin.query(
      `INSERT INTO webhooks.deliveries (week, day, tenant_id, id, subscription_id, event_id, name, resource,
         position, first_open, held, next_at, created_at)
       SELECT $1, $2, $3, 'dlv_' || md5(s || n), s, 'evn_' || $3 || n, 'contact.created', 'ctc_' || n, n,
         true, false, now(), now()
       FROM generate_series($4::int + 1, $4 + $5) n CROSS JOIN unnest($6::text[]) s`,
      [slots[1], slots[0], this.tenantId, from, each, subscriptions],
    );
    await this.admin.query('ANALYZE webhooks.deliveries; ANALYZE webhooks.events');
  }

  async set(status: 'active' | 'paused'): Promise<void> {
    await this.admin.query(`UPDATE webhooks.subscriptions SET status = $1`, [status]);
    await this.admin.query(`NOTIFY postroom_webhooks`);
  }

  /** Resolves when no delivery is pending. By the queue's index: a scan of the table would cost as much as deliveries do. */
  async emptied(): Promise<void> {
    await this.admin.query('SET enable_seqscan = off');
    for (;;) {
      const { rowCount } = await this.admin.query(
        `SELECT FROM webhooks.deliveries WHERE tenant_id = $1 AND status = 'pending' AND NOT held LIMIT 1`,
        [this.tenantId],
      );
      if (rowCount === 0) return;
      await sleep(20);
    }
  }
}
