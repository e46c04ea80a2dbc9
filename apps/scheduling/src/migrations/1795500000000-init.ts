import { operationTables } from '@postroom/operations';
import { tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schema `scheduling`: calendars, their events, and tasks. */
export class InitScheduling1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(operationTables('scheduling') + tasks);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const tasks = `
  CREATE TABLE tasks (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    notes text NOT NULL,
    status text NOT NULL,
    priority text NOT NULL,
    assignee text COLLATE "C",
    team_id text COLLATE "C",
    due_ms bigint,
    time_zone text NOT NULL,
    thread_id text COLLATE "C",
    recurrence jsonb,
    reminders jsonb NOT NULL,
    source text NOT NULL,
    created_by jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    completed_at timestamptz(3),
    completed_by jsonb,
    previous_id text COLLATE "C",
    -- Made once, the first time that the task is done.
    next_id text COLLATE "C",
    version integer NOT NULL DEFAULT 1,
    sequence bigint NOT NULL DEFAULT 1,
    -- Title and notes as they are searched.
    search_text text NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  CREATE INDEX tasks_of_thread ON tasks (tenant_id, thread_id, id) WHERE thread_id IS NOT NULL;
  CREATE INDEX tasks_of_assignee ON tasks (tenant_id, assignee, id);
  CREATE INDEX tasks_due ON tasks (tenant_id, due_ms) WHERE due_ms IS NOT NULL;
  ${tenantPolicy('tasks')}
`;
