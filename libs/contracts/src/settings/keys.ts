import { AnswerOf, Done, PageOf } from '../answers.js';
import {
  Email,
  Flag,
  Id,
  Instant,
  ListOf,
  OneOf,
  Part,
  SomeOf,
  Text,
  Version,
} from '../fields/index.js';
import { ChangeOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { scopeNames, type Scope } from '../scopes.js';

export const keyKinds = ['human', 'agent'] as const;
export const approvals = ['required', 'none'] as const;
export const mailboxAccesses = ['read', 'write'] as const;

export type KeyKind = (typeof keyKinds)[number];
export type Approval = (typeof approvals)[number];
export type MailboxAccess = (typeof mailboxAccesses)[number];

/** Rights of a key on one mailbox. */
export class MailboxGrant {
  @Email('The mailbox.')
  address!: string;

  @OneOf(mailboxAccesses, 'Reading alone, or writing too.')
  access!: MailboxAccess;
}

/** An assistant that a member has connected by OAuth (`decisions.md` §12). */
export class KeyClient {
  @Text('Its client id: an address, or the id of its registration.', { max: 500 })
  id!: string;

  @Text('Its name, as it gives it.', { max: 120 })
  name!: string;

  @Text('The host that answers for it; `localhost` of a program on the member’s computer.', {
    max: 253,
  })
  host!: string;
}

/** An API key as settings show it; its secret is never shown again. */
export class Key {
  @Id('key', 'The key.')
  id!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @OneOf(keyKinds, 'Made for a person’s integration, or for an AI agent.')
  kind!: KeyKind;

  @OneOf(approvals, 'Whether its writes wait for a person; null for human keys.', {
    nullable: true,
  })
  approval!: Approval | null;

  @SomeOf(scopeNames, 'Scopes.')
  scopes!: Scope[];

  @ListOf(() => MailboxGrant, 'Mailboxes it may use.', { max: 1000 })
  mailboxes!: MailboxGrant[];

  @Email('Address of the member it is attached to.', { nullable: true })
  member!: string | null;

  @Flag('The workspace administrator’s key.')
  admin!: boolean;

  @Part(() => KeyClient, 'The assistant that a member has connected by OAuth; else null.', {
    nullable: true,
  })
  client!: KeyClient | null;

  @Text('Last four characters of the secret.', { max: 4 })
  hint!: string;

  @Instant('End of its life.', { nullable: true })
  expiresAt!: string | null;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last use, to the minute.', { nullable: true })
  lastUsedAt!: string | null;

  @Instant('When it was revoked.', { nullable: true })
  revokedAt!: string | null;

  @Version()
  version!: number;
}

/** Input of key creation. */
export class CreateKey {
  @Text('Name.', { max: 120, filled: true })
  name!: string;

  @OneOf(keyKinds, 'Made for a person’s integration, or for an AI agent.', { default: 'human' })
  kind!: KeyKind;

  @OneOf(approvals, 'Agent keys only; `required` when absent.', { optional: true, nullable: true })
  approval?: Approval | null;

  @SomeOf(scopeNames, 'Scopes; `mail:send` is refused for agent keys.', {
    default: ['read:conversations'],
  })
  scopes!: Scope[];

  @ListOf(() => MailboxGrant, 'Mailboxes it may use.', { max: 1000, optional: true })
  mailboxes?: MailboxGrant[];

  @Email('Address of the member it is attached to.', { optional: true, nullable: true })
  member?: string | null;

  @Flag('The workspace administrator’s key.', { default: false })
  admin!: boolean;

  @Instant('End of its life, in the future.', { optional: true, nullable: true })
  expiresAt?: string | null;
}

/** Input of key change; `scopes` and `mailboxes`, when given, replace the whole list. */
export class UpdateKey extends ChangeOf('key', 'The key.', CreateKey, [
  'name',
  'scopes',
  'mailboxes',
  'member',
  'admin',
  'expiresAt',
]) {
  @OneOf(approvals, 'Agent keys only.', { optional: true })
  approval?: Approval;
}

/** One key. */
export class KeyAnswer extends AnswerOf('key', () => Key, 'The key.') {}

/** A new key with its secret. */
export class NewKey extends KeyAnswer {
  @Text('The key in clear, shown this once.', { max: 200 })
  secret!: string;
}

/** All keys, revoked ones too. */
export class KeyList extends PageOf(() => Key, 'Keys.', 10_000) {}

/** API keys of the workspace. */
export const keys = family(
  'access',
  'keys',
  {
    list: operation({
      http: 'GET /keys',
      summary: 'List the API keys',
      output: KeyList,
    }),
    create: operation({
      http: 'POST /keys',
      success: 201,
      confidential: true,
      summary: 'Create an API key; the answer shows its secret this once',
      input: CreateKey,
      output: NewKey,
      problems: ['QUOTA_EXCEEDED'],
    }),
    update: operation({
      http: 'PATCH /keys/:id',
      summary: 'Change an API key, in force for every request that begins after the answer',
      input: UpdateKey,
      output: KeyAnswer,
      problems: ['KEY_NOT_FOUND'],
    }),
    revoke: operation({
      http: 'DELETE /keys/:id',
      summary: 'Revoke an API key for good',
      input: VersionOf('key', 'The key.'),
      output: Done,
      problems: ['KEY_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);

/** Assistants that members have connected by OAuth: each is a key of its member, which is named after it. */
export const connections = family(
  'access',
  'connections',
  {
    list: operation({
      http: 'GET /connections',
      summary: 'List the assistants that one has connected',
      output: KeyList,
    }),
    end: operation({
      http: 'DELETE /connections/:id',
      summary: 'Disconnect an assistant that one has connected, for good',
      input: VersionOf('key', 'The key of the assistant.'),
      output: Done,
      problems: ['KEY_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
