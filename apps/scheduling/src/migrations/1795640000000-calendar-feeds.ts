import { tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secret addresses of calendars, and the order in which their events are exported. */
export class CalendarFeeds1795640000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(feeds);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const feeds = `
  CREATE TABLE calendar_feeds (
    tenant_id text COLLATE "C" NOT NULL,
    calendar_id text COLLATE "C" NOT NULL,
    -- SHA-256: the secret itself is not kept.
    secret_hash bytea NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, calendar_id),
    UNIQUE (tenant_id, secret_hash),
    FOREIGN KEY (tenant_id, calendar_id) REFERENCES calendars ON DELETE CASCADE
  );
  ${tenantPolicy('calendar_feeds')}

  CREATE INDEX calendar_events_by_id ON calendar_events (tenant_id, calendar_id, id);
`;
