import { tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What scheduling has told of tasks and events that are about conversations. */
export class MailLinks1795560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE known_calendars (
        tenant_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        is_shared boolean NOT NULL,
        -- The member who sees it, where it is not shared.
        owner_id text COLLATE "C" NOT NULL,
        PRIMARY KEY (tenant_id, id)
      );
      ${tenantPolicy('known_calendars')}

      CREATE TABLE conversation_links (
        tenant_id text COLLATE "C" NOT NULL,
        -- The task or the event.
        id text COLLATE "C" NOT NULL,
        title text NOT NULL,
        -- Null once it was deleted or is about no conversation: an older event cannot bring it back.
        thread_id text COLLATE "C",
        -- Of an event; null for a task.
        calendar_id text COLLATE "C",
        -- Number of its last event that was learnt.
        sequence bigint NOT NULL,
        PRIMARY KEY (tenant_id, id)
      );
      CREATE INDEX conversation_links_of_thread ON conversation_links (tenant_id, thread_id, id)
        WHERE thread_id IS NOT NULL;
      ${tenantPolicy('conversation_links')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
