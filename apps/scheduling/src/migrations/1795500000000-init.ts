import { initialOperationTables } from '@postroom/operations';
import { tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schema `scheduling`: calendars, their events, and tasks. */
export class InitScheduling1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(initialOperationTables('scheduling') + calendars + tasks);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const calendars = `
  CREATE TABLE calendars (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    color text,
    -- personal or shared
    scope text NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    owner_email text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  CREATE INDEX calendars_of_owner ON calendars (tenant_id, owner_id);
  ${tenantPolicy('calendars')}

  CREATE TABLE calendar_events (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    calendar_id text COLLATE "C" NOT NULL,
    uid text COLLATE "C" NOT NULL,
    start_ms bigint NOT NULL,
    end_ms bigint NOT NULL,
    -- From the first moment of its first occurrence to the last of its last one: a window passes over
    -- series that have ended without reading them.
    first_ms bigint NOT NULL,
    last_ms bigint NOT NULL,
    has_reminders boolean NOT NULL,
    thread_id text COLLATE "C",
    -- All that is read whole and looked for by nothing.
    content jsonb NOT NULL,
    created_by jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    sequence bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, calendar_id) REFERENCES calendars
  );
  CREATE INDEX calendar_events_window
    ON calendar_events (tenant_id, calendar_id, last_ms, first_ms);
  CREATE UNIQUE INDEX calendar_events_uid ON calendar_events (tenant_id, calendar_id, uid);
  CREATE INDEX calendar_events_of_thread ON calendar_events (tenant_id, thread_id)
    WHERE thread_id IS NOT NULL;
  ${tenantPolicy('calendar_events')}
`;

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
