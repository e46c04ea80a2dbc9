import { AnswerOf } from '../answers.js';
import { Count, Instant, ListOf, OneOf, Part, Text } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';

export const syncStates = [
  ...(['connecting', 'history', 'live', 'waiting', 'needs_attention', 'stopped'] as const),
] as const;
export const folderRoles = [
  ...(['inbox', 'sent', 'archive', 'trash', 'junk', 'drafts', 'other'] as const),
] as const;
export type FolderRole = (typeof folderRoles)[number];

const many = Number.MAX_SAFE_INTEGER;

/** A folder at the account. */
export class SyncedFolder {
  @Text('Its name at the server, with the names of the folders that it is in.', { max: 500 })
  path!: string;

  @OneOf(folderRoles, 'Its use: the first three are read, of trash and junk what was in the inbox.')
  role!: FolderRole;

  @Count('Messages of it that are to be here.', { max: many })
  total!: number;

  @Count('Those of them that are.', { max: many })
  read!: number;

  @Count('Those that did not come when they were asked for, three times.', { max: many })
  unreadable!: number;
}

/** The last fault. */
export class SyncFault {
  @Text('What it was, for programs.', { max: 60 })
  code!: string;

  @Text('What the server said.', { max: 400 })
  text!: string;

  @Instant('When.')
  at!: string;
}

/** The state of a mailbox that is read from an account elsewhere. */
export class MailboxSync {
  @OneOf(
    syncStates,
    'New mail arrives in `history` and `live`; `needs_attention` waits for a member.',
  )
  state!: (typeof syncStates)[number];

  @Instant('Since when.')
  since!: string;

  @ListOf(() => SyncedFolder, 'Folders, those that are read first; a thousand at most.', {
    max: 1_000,
  })
  folders!: SyncedFolder[];

  @Instant('When the newest message arrived there that was read.', { nullable: true })
  newestReadAt!: string | null;

  @Instant('Older mail stays where it is; null: none does.', { nullable: true })
  historyTo!: string | null;

  @Part(() => SyncFault, 'The last fault; null after a round without any.', { nullable: true })
  lastError!: SyncFault | null;

  @Count('Changes made here that are still to be made in the account (`twoWay`).', { max: many })
  changesWaiting!: number;

  @Count('Those that could not be made; a restart tries them again.', { max: many })
  changesFailed!: number;

  @Part(
    () => SyncFault,
    'The last of those: `folder_missing`, `keywords_refused`, `move_unsupported`, `server_refused` or `not_done`.',
    { nullable: true },
  )
  lastFailedChange!: SyncFault | null;

  @Instant('When it is tried again; null while it is read.', { nullable: true })
  nextTryAt!: string | null;
}

/** The state of one mailbox. */
export class MailboxSyncAnswer extends AnswerOf('sync', () => MailboxSync, 'How it stands.') {}

/** Input of a folder's use. */
export class SetFolderRole extends IdOf('mbx', 'The mailbox.') {
  @Text('Its name, as `GET …/sync` shows it.', { max: 500, filled: true })
  path!: string;

  @OneOf(folderRoles, 'What it is used for. Another folder that has this use loses it.')
  role!: FolderRole;
}

/** Mailboxes that are read from accounts elsewhere. */
export const mailboxSyncs = family(
  'mail',
  'mailboxSyncs',
  {
    get: operation({
      http: 'GET /mailboxes/:id/sync',
      addition: true,
      summary: 'See how a mailbox stands that is read from an account elsewhere',
      input: IdOf('mbx', 'The mailbox.'),
      output: MailboxSyncAnswer,
      problems: ['MAILBOX_NOT_FOUND', 'MAILBOX_WITHOUT_ACCOUNT'],
    }),
    setRole: operation({
      http: 'PATCH /mailboxes/:id/folders',
      addition: true,
      summary: 'Say what a folder of an account is used for',
      description: 'It stays, whatever the server says. The mailbox is read again at once.',
      input: SetFolderRole,
      output: MailboxSyncAnswer,
      problems: ['MAILBOX_NOT_FOUND', 'MAILBOX_WITHOUT_ACCOUNT', 'FOLDER_NOT_FOUND'],
    }),
    restart: operation({
      http: 'POST /mailboxes/:id/sync/restart',
      addition: true,
      summary: 'Try a mailbox again now',
      description: 'Messages that could not be read are asked for again.',
      input: IdOf('mbx', 'The mailbox.'),
      output: MailboxSyncAnswer,
      problems: ['MAILBOX_NOT_FOUND', 'MAILBOX_WITHOUT_ACCOUNT'],
    }),
  },
  { audience: 'member', admin: true },
);
