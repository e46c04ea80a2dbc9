import { tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which invitations and answers have been applied, so that none is undone by one that is older. */
export class InvitationsScheduling1795630000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX calendar_events_by_uid ON calendar_events (tenant_id, uid);
      CREATE TABLE invitation_stamps (
        tenant_id text COLLATE "C" NOT NULL,
        event_id text COLLATE "C" NOT NULL,
        -- The address of the attendee who has answered; empty for what the organizer has sent.
        party text COLLATE "C" NOT NULL,
        -- The start, by the rule, of the one occurrence that it is about; -1 for all of the event.
        occurrence_ms bigint NOT NULL,
        -- Of the newest: RFC 5546 §2.1.5.
        sequence bigint NOT NULL,
        stamp_ms bigint NOT NULL,
        PRIMARY KEY (tenant_id, event_id, party, occurrence_ms),
        FOREIGN KEY (tenant_id, event_id) REFERENCES calendar_events ON DELETE CASCADE
      );
      ${tenantPolicy('invitation_stamps')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
