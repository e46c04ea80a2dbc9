import { lookupPolicy, tenantPolicy, type Migration } from '@postroom/persistence/provision';

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
  CREATE INDEX calendar_events_by_uid ON calendar_events (tenant_id, uid);
  -- The order in which they are exported.
  CREATE INDEX calendar_events_by_id ON calendar_events (tenant_id, calendar_id, id);
  CREATE INDEX calendar_events_of_thread ON calendar_events (tenant_id, thread_id)
    WHERE thread_id IS NOT NULL;
  ${tenantPolicy('calendar_events')}

  -- The readers of a deleted calendar, kept as long as its events are delivered.
  CREATE TABLE deleted_calendars (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    scope text NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    deleted_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  CREATE INDEX deleted_calendars_by_time ON deleted_calendars (deleted_at);
  ${tenantPolicy('deleted_calendars')}
  ${lookupPolicy('scheduling', 'deleted_calendars', 'SELECT, DELETE')}

  -- Secret addresses of calendars.
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

const reminders = `
  -- Up to when the reminders of each event and task have been told.
  CREATE TABLE reminder_cursors (
    tenant_id text COLLATE "C" NOT NULL,
    -- The event or the task.
    subject_id text COLLATE "C" NOT NULL,
    -- Notices that were due up to this time have been published.
    told_ms bigint NOT NULL,
    -- When to look again: nothing is due before. Null for nothing to come.
    look_ms bigint,
    -- The number of notices published about it.
    notices bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, subject_id)
  );
  CREATE INDEX reminder_cursors_due ON reminder_cursors (look_ms) WHERE look_ms IS NOT NULL;
  CREATE INDEX reminder_cursors_due_of_tenant ON reminder_cursors (tenant_id, look_ms)
    WHERE look_ms IS NOT NULL;
  ${tenantPolicy('reminder_cursors')}
  ${lookupPolicy('scheduling', 'reminder_cursors')}
`;

const invitations = `
  -- The invitations and answers that were applied, so that none is undone by an older one.
  CREATE TABLE invitation_stamps (
    tenant_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    -- The address of the attendee who has answered; empty for what the organizer has sent.
    party text COLLATE "C" NOT NULL,
    -- The start, by the rule, of the one occurrence that it is about; -1 for all of the event.
    occurrence_ms bigint NOT NULL,
    -- The stamp of the newest: RFC 5546 §2.1.5.
    sequence bigint NOT NULL,
    stamp_ms bigint NOT NULL,
    PRIMARY KEY (tenant_id, event_id, party, occurrence_ms),
    FOREIGN KEY (tenant_id, event_id) REFERENCES calendar_events ON DELETE CASCADE
  );
  ${tenantPolicy('invitation_stamps')}

  -- The mail that has its effect: authenticated, where there is no row, or any.
  CREATE TABLE invitation_rules (
    tenant_id text COLLATE "C" PRIMARY KEY,
    mail_effects text NOT NULL
  );
  ${tenantPolicy('invitation_rules')}

  -- Invitations that wait for a member, as mail has told them: the newest 500 of a workspace.
  CREATE TABLE unconfirmed_invitations (
    tenant_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    received jsonb NOT NULL,
    at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, message_id)
  );
  CREATE INDEX unconfirmed_invitations_by_time
    ON unconfirmed_invitations (tenant_id, at, message_id);
  ${tenantPolicy('unconfirmed_invitations')}
`;

/** Schema `scheduling`: calendars, their events, and tasks. */
export const init: Migration = {
  name: '2026-11-28-init-scheduling',
  sql: calendars + tasks + reminders + invitations,
};
