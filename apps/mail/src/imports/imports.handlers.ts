import {
  imports,
  importSteps,
  newId,
  Problem,
  type EndedImport,
  type MailImport,
} from '@postroom/contracts';
import { handlers, requireRoomFor } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { MessageImporter, notRunning } from './message-importer.js';

const listMax = 100;

const mailboxKnown = statement<{ known: boolean }>(
  'imports.mailbox_known',
  'SELECT mailbox_known($1, $2) AS known',
);

/** An import without progress has lost its gateway: a live one waits 30 s at most. */
const list = statement<MailImport>(
  'imports.list',
  `SELECT i.id, CASE WHEN lost THEN 'failed' ELSE i.state END AS state,
     i.bytes_read::float8 AS "bytesRead", i.imported, i.duplicates, i.unparsed,
     ${instant('i.started_at')} AS "startedAt",
     ${instant('CASE WHEN lost THEN i.progressed_at ELSE i.finished_at END')} AS "finishedAt"
   FROM mailbox_imports($1, $2, ${listMax}) i
   CROSS JOIN LATERAL (
     SELECT i.state = 'running' AND i.progressed_at < now() - interval '2 minutes' AS lost) l`,
);

const begin = statement<{ known: boolean; begun: boolean }>(
  'imports.begin_one',
  'SELECT known, begun FROM begin_import($1, $2, $3, $4)',
);

const end = statement<EndedImport>(
  'imports.end',
  `UPDATE imports SET state = $3, bytes_read = $4, progressed_at = $5, finished_at = $5
   WHERE tenant_id = $1 AND id = $2 AND state = 'running'
   RETURNING imported, duplicates, unparsed`,
);

/** It waits for the step that is being stored, and no step is stored after it. */
const stop = statement<{ id: string }>(
  'imports.stop',
  `UPDATE imports SET state = 'stopped', progressed_at = $4, finished_at = $4
   WHERE tenant_id = $1 AND mailbox_id = $2 AND id = $3 AND state = 'running' RETURNING id`,
);

/** The imports of a mailbox; the gateway runs one itself (`imports.run`), since it reads the body. */
export const ImportsHandlers = handlers(
  { list: imports.list, stop: imports.stop },
  {
    list: async ({ rows }, { id }) => {
      const [mailbox] = await rows(mailboxKnown, [id]);
      if (!mailbox?.known) throw new Problem('MAILBOX_NOT_FOUND');
      return { items: await rows(list, [id]), nextPageToken: null };
    },

    stop: async ({ rows, at }, { id, importId }) => {
      const [stopped] = await rows(stop, [id, importId, at]);
      if (!stopped) throw new Problem('IMPORT_NOT_FOUND');
      return { ok: true };
    },
  },
);

/** The steps of an import: the gateway reads the body and hands its messages over. */
export const ImportStepsHandlers = handlers(
  importSteps,
  [MessageImporter, MailConfig],
  (importer, { quotaStoredBytes }) => ({
    begin: async (context, { mailboxId }) => {
      const { rows, at, subject } = context;
      await requireRoomFor(context, 'storedBytes', quotaStoredBytes, 1);
      const id = newId('imp');
      const [answer] = await rows(begin, [id, mailboxId, at]);
      if (!answer?.known) throw new Problem('MAILBOX_NOT_FOUND');
      if (!answer.begun) throw new Problem('IMPORT_UNDER_WAY');
      subject(mailboxId);
      return { id };
    },

    take: (context, input) => importer.import(context, input),

    end: async ({ rows, at }, { id, state, bytesRead }) => {
      const [ended] = await rows(end, [id, state, bytesRead, at]);
      if (!ended) throw await notRunning({ rows }, id);
      return ended;
    },
  }),
);
