import { mailboxSyncs, Problem, type MailboxSyncAnswer } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const find = statement<{ sync: MailboxSyncAnswer['sync'] | null }>(
  'imap.find_sync',
  'SELECT sync FROM sync_of($1, $2)',
);

const setRole = statement<{ found: boolean }>(
  'imap.set_role',
  'SELECT set_folder_role($1, $2, $3, $4) AS found',
);

const restart = statement<object>('imap.restart', 'SELECT restart_sync($1, $2)');

/** The state of mailboxes that are read from accounts elsewhere. */
export const MailboxSyncsHandlers = handlers(mailboxSyncs, {
  get: async (context, { id }) => shown(context, id),

  setRole: async (context, { id, path, role }) => {
    await shown(context, id);
    const [answer] = await context.rows(setRole, [id, path, role]);
    if (!answer?.found) throw new Problem('FOLDER_NOT_FOUND');
    await context.rows(restart, [id]);
    return shown(context, id);
  },

  restart: async (context, { id }) => {
    await shown(context, id);
    await context.rows(restart, [id]);
    return shown(context, id);
  },
});

async function shown({ rows }: Pick<Reading, 'rows'>, id: string): Promise<MailboxSyncAnswer> {
  const [found] = await rows(find, [id]);
  if (!found) throw new Problem('MAILBOX_NOT_FOUND');
  if (!found.sync) throw new Problem('MAILBOX_WITHOUT_ACCOUNT');
  return { sync: found.sync };
}
