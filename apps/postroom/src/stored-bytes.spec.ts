import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storingServiceNames } from '@postroom/contracts';
import { openAllSchemas, type AllSchemas } from './testing/all-schemas.js';

/** Tables whose texts the engine counts as it writes them (`recorded_bytes`), in the commit of what it counts. */
const recorded = ['replies', 'outbox', 'published_events'];

/** Tables whose texts a function counts as it writes them. */
const recordedBy: Readonly<Record<string, string>> = {
  'access.stream_events': 'tell_stream',
  'webhooks.events': 'append_events',
  'webhooks.attempts': 'record_outcomes',
};

/** Tables of the engine that hold names of ours, and of clients an id at most. */
const engine = [
  ...['inbox', 'audit_records', 'volume_deltas', 'volumes', 'quota_counters', 'recorded_bytes'],
  'clocks',
];

/** Why a table that nobody counts does not grow beyond a bound; its rows have bounded fields each. */
const bounded: Readonly<Record<string, string>> = {
  ...{ 'access.tenants': 'one row', 'access.members': 'quota', 'access.keys': 'quota' },
  ...{
    'access.teams': 'number',
    'access.audit_heads': 'one row',
    'access.refused_writes': 'number',
  },
  ...{
    'access.sessions': 'of sign-ins, for 7 days',
    'access.invitations': 'of members, and three resets of each for an hour',
    'access.known_devices': 'twenty of each member',
  },
  ...{ 'access.sign_in_settings': 'one row', 'access.second_factors': 'of members' },
  ...{ 'access.passkeys': 'number', 'access.clock_advances': 'one row' },
  ...{ 'access.oauth_tokens': 'a hundred and some of each key' },
  ...{ 'directory.address_books': 'number', 'directory.address_book_members': 'of books' },
  ...{ 'directory.contacts': 'quota', 'directory.merged_contacts': 'quota' },
  ...{ 'mail.mailboxes': 'quota', 'mail.signatures': 'number', 'mail.domains': 'number' },
  ...{ 'mail.mailbox_accounts': 'of mailboxes', 'mail.login_refusals': 'of logins, for an hour' },
  ...{ 'mail.oauth_grants': 'of requests, for 10 minutes' },
  ...{ 'mail.comments': 'quota', 'mail.drafts': 'quota', 'mail.dlp_rules': 'number' },
  ...{ 'mail.conversations': 'of messages', 'mail.conversation_labels': 'of conversations' },
  ...{ 'mail.inbox_counters': 'of conversations' },
  ...{ 'mail.conversation_leases': 'of conversations' },
  ...{ 'mail.snoozes': 'of conversations and members', 'mail.messages': 'of raw messages' },
  ...{ 'mail.attachments': 'of raw messages', 'mail.thread_ids': 'of raw messages' },
  ...{ 'mail.staged_messages': 'of raw messages', 'mail.search_documents': 'of raw messages' },
  ...{ 'mail.dlp_warnings': 'of sends, for 10 minutes', 'mail.send_reservations': 'of sends' },
  ...{
    'mail.mailbox_syncs': 'of mailboxes',
    'mail.remote_folders': 'a thousand of each mailbox',
    'mail.remote_messages': 'of raw messages',
    'mail.remote_changes': 'four of each message',
    'mail.sent_copies': 'of sends',
    'mail.imports': 'ids',
    'mail.known_books': 'of books',
    'mail.known_calendars': 'of calendars',
  },
  ...{ 'mail.known_contacts': 'of contacts', 'mail.known_addresses': 'of contacts' },
  ...{ 'mail.draft_files': 'of drafts, and of uploads for a day' },
  ...{ 'mail.conversation_links': 'of tasks and events' },
  ...{ 'scheduling.calendars': 'number', 'scheduling.calendar_feeds': 'of calendars' },
  ...{ 'scheduling.deleted_calendars': 'of calendars', 'scheduling.calendar_events': 'quota' },
  ...{ 'scheduling.tasks': 'quota', 'scheduling.reminder_cursors': 'of events' },
  ...{ 'scheduling.invitation_stamps': 'of raw messages' },
  ...{ 'scheduling.invitation_rules': 'one row', 'scheduling.unconfirmed_invitations': 'number' },
  ...{ 'webhooks.subscriptions': 'number', 'webhooks.test_counters': 'one row' },
  ...{ 'webhooks.feeds': 'one row', 'webhooks.deliveries': 'ids, of events' },
};

describe('every table that holds a text of a workspace', () => {
  let all: AllSchemas;
  beforeAll(async () => {
    all = await openAllSchemas();
  });
  afterAll(() => all.close());

  it('is counted among the stored bytes as it is written, or bounded', async () => {
    const { rows } = await all.admin.query<{ name: string; isCounted: boolean }>(
      `SELECT n.nspname || '.' || c.relname AS name, EXISTS (
         SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
         WHERE t.tgrelid = c.oid AND p.prosrc LIKE '%''storedBytes''%') AS "isCounted"
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')
         AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
           AND a.atttypid = ANY ('{text,text[],json,jsonb,bytea,tsvector}'::regtype[]))
       ORDER BY 1`,
      [storingServiceNames],
    );
    const ofEngine = storingServiceNames.flatMap((schema) =>
      [...engine, ...recorded].map((table) => `${schema}.${table}`),
    );
    const known = [...ofEngine, ...Object.keys(recordedBy), ...Object.keys(bounded)];
    const uncounted = rows.filter(({ isCounted }) => !isCounted).map(({ name }) => name);
    expect(uncounted.toSorted()).toEqual(known.toSorted());
    expect(rows.filter(({ isCounted }) => isCounted).map(({ name }) => name)).toEqual([
      ...['access.approvals', 'access.audit_entries', 'directory.contact_photos'],
      ...['mail.draft_file_pieces', 'mail.labels', 'mail.raw_messages', 'mail.suppressions'],
    ]);
  });

  it.each(Object.entries(recordedBy))('%s is counted by %s', async (table, name) => {
    const { rows } = await all.admin.query<{ source: string }>(
      `SELECT prosrc AS source FROM pg_proc WHERE proname = $1 AND pronamespace = $2::regnamespace`,
      [name, table.split('.')[0]],
    );
    expect(rows).toEqual([{ source: expect.stringContaining('INSERT INTO recorded_bytes') }]);
  });
});
