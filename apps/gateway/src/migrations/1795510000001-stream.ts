import { lookupPolicy, tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What members are told as it happens. */
export class StreamAccess1795510000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- For an hour, so that whoever was cut off can go on. Within a workspace, positions are given in the
      -- order of commits: tell_stream holds a lock until then.
      CREATE TABLE stream_events (
        position bigint GENERATED ALWAYS AS IDENTITY,
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        at timestamptz(3) NOT NULL DEFAULT now(),
        type text COLLATE "C" NOT NULL,
        -- The mailbox, book or calendar whose readers may see it; null: all members.
        within_type text,
        within_id text COLLATE "C",
        data text NOT NULL,
        PRIMARY KEY (tenant_id, position)
      );
      CREATE INDEX stream_events_age ON stream_events (at);
      ${tenantPolicy('stream_events')}
      ${lookupPolicy('access', 'stream_events', 'SELECT, DELETE')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
