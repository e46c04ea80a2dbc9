import { AnswerOf, Done, PageOf } from '../answers.js';
import {
  Access,
  Count,
  Email,
  Flag,
  HeaderText,
  Id,
  Instant,
  OneOf,
  Part,
  Text,
  Version,
  type MemberAccess,
} from '../fields/index.js';
import { ChangeOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';

/** A server a mailbox sends or receives through, as it is shown: never with its password. */
export class MailServer {
  @HeaderText('Host name.', { max: 253, filled: true })
  host!: string;

  @Count('Port.', { min: 1, max: 65_535 })
  port!: number;

  @Flag('TLS from the first byte; otherwise STARTTLS when offered.', { default: true })
  secure!: boolean;

  @HeaderText('User name.', { max: 320, nullable: true })
  user!: string | null;
}

/** A server as it is given: with the password, which is written and never read back. */
export class MailServerAccess extends MailServer {
  @HeaderText('Password.', { max: 1000, optional: true, nullable: true })
  password?: string | null;
}

/** DKIM signing of messages of the mailbox's domain, as it is shown. */
export class Dkim {
  @HeaderText('Selector: the name of the DNS record.', { max: 63, filled: true })
  selector!: string;
}

/** DKIM as it is given: with the private key, which is written and never read back. */
export class DkimAccess extends Dkim {
  @Text('Private key, PEM.', { max: 10_000, filled: true })
  privateKey!: string;
}

/** A copy of sent mail is put into the account's folder `Sent` where its server does not, always, or never. */
export const sentCopies = ['auto', 'append', 'never'] as const;

export const historyAbout =
  'Days before it was connected from which its mail is read, 20,000 messages of a folder at most. Null: all of it.';
export const twoWayAbout =
  'Whether archive, reopen, spam, trash, read, answered and labels of this mailbox are done in the account too, and the other way round. Off at first: nothing is changed there.';

/** The account that a mailbox is read from, beside its servers. */
export class MailboxAccount {
  @OneOf(['password', 'oauth'], 'How it is logged in to.')
  kind!: 'password' | 'oauth';

  @Text('The OAuth provider.', { max: 20, nullable: true })
  provider!: string | null;

  @Flag('True once the provider has ended the consent: it is to be given anew.')
  consentEnded!: boolean;

  @Flag(twoWayAbout)
  twoWay!: boolean;

  @OneOf(sentCopies, 'Who puts a copy of sent mail into its folder `Sent`.')
  sentCopy!: (typeof sentCopies)[number];

  @Count(historyAbout, { min: 1, max: 36_500, nullable: true })
  historyDays!: number | null;
}

const accessAbout = 'Who sees it: `workspace`, or the ids of members.';

/** A shared mailbox as settings show it. */
export class Mailbox {
  @Id('mbx', 'The mailbox.')
  id!: string;

  @Email('Its address, unique in the deployment, never changing.')
  address!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @Flag('Whether arriving mail emits `conversation.received`.')
  automation!: boolean;

  @Access('mbr', accessAbout)
  access!: MemberAccess;

  @Part(() => MailServer, 'Outgoing server; null for the deployment’s.', { nullable: true })
  outgoing!: MailServer | null;

  @Part(() => MailServer, 'IMAP server the mail is read from.', { nullable: true })
  imap!: MailServer | null;

  @Part(() => MailboxAccount, 'The account that it is read from, once it can be logged in to.', {
    nullable: true,
  })
  account!: MailboxAccount | null;

  @Part(() => Dkim, 'DKIM signing.', { nullable: true })
  dkim!: Dkim | null;

  @Count(
    'Days after its last message that a conversation is kept; it is deleted then. Null: for as long as it is.',
    { min: 1, max: 3_650, nullable: true },
  )
  retentionDays!: number | null;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}

/** Input of mailbox creation. */
export class CreateMailbox {
  @Email('Its address, unique in the deployment, never changing.')
  address!: string;

  @HeaderText('Name; the address when absent.', { max: 120, filled: true, optional: true })
  name?: string;

  @Flag('Whether arriving mail emits `conversation.received`.', { default: true })
  automation!: boolean;

  @Access('mbr', accessAbout, { default: 'workspace' })
  access!: MemberAccess;

  @Part(() => MailServerAccess, 'Outgoing server.', { optional: true, nullable: true })
  outgoing?: MailServerAccess | null;

  @Part(() => MailServerAccess, 'IMAP server.', { optional: true, nullable: true })
  imap?: MailServerAccess | null;

  @Part(() => DkimAccess, 'DKIM signing.', { optional: true, nullable: true })
  dkim?: DkimAccess | null;

  @Count(
    'Days after its last message that a conversation is kept; it is deleted then. Null: for as long as it is.',
    { min: 1, max: 3_650, nullable: true, optional: true },
  )
  retentionDays?: number | null;
}

/** Input of mailbox change: absent stays, null clears. */
export class UpdateMailbox extends ChangeOf('mbx', 'The mailbox.', CreateMailbox, [
  'automation',
  'outgoing',
  'imap',
  'dkim',
  'retentionDays',
]) {
  @HeaderText('Name.', { max: 120, filled: true, optional: true })
  name?: string;

  @Access(
    'mbr',
    `${accessAbout} A member who was removed is shown until the list is written again; to name them again is no fault.`,
    { optional: true },
  )
  access?: MemberAccess;
}

/** One mailbox. */
export class MailboxAnswer extends AnswerOf('mailbox', () => Mailbox, 'The mailbox.') {}

/** All mailboxes of the workspace. */
export class MailboxList extends PageOf(() => Mailbox, 'Mailboxes.', 10_000) {}

/** Shared mailboxes. */
export const mailboxes = family(
  'mail',
  'mailboxes',
  {
    list: operation({
      http: 'GET /mailboxes',
      summary: 'List the mailboxes',
      output: MailboxList,
    }),
    create: operation({
      http: 'POST /mailboxes',
      success: 201,
      summary: 'Add a mailbox',
      description:
        'Of a verified domain, or with a server of its own: such a one takes no mail in by SMTP.',
      input: CreateMailbox,
      output: MailboxAnswer,
      problems: [
        ...(['MAILBOX_EXISTS', 'ACCOUNT_CONNECTED', 'DOMAIN_TAKEN'] as const),
        ...(['DOMAIN_NOT_VERIFIED', 'QUOTA_EXCEEDED'] as const),
      ],
    }),
    update: operation({
      http: 'PATCH /mailboxes/:id',
      summary: 'Change a mailbox',
      input: UpdateMailbox,
      output: MailboxAnswer,
      problems: ['MAILBOX_NOT_FOUND', 'ACCOUNT_CONNECTED', 'DOMAIN_NOT_VERIFIED'],
    }),
    remove: operation({
      http: 'DELETE /mailboxes/:id',
      summary: 'Delete a mailbox',
      description:
        'It stops at once. What is in it is deleted after 30 days, in which its address stays taken and the operator may bring it back.',
      input: VersionOf('mbx', 'The mailbox.'),
      output: Done,
      problems: ['MAILBOX_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
