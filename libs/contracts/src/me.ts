import { WholeList } from './answers.js';
import { approvals as approvalModes, keyKinds, MailboxGrant } from './settings/keys.js';
import {
  Count,
  Flag,
  Id,
  Instant,
  ListOf,
  OneOf,
  PageToken,
  Part,
  SomeOf,
  Text,
} from './fields/index.js';
import { family, operation } from './operation.js';
import { refusalRules, type RefusalRule } from './coded-refusal.js';
import { scopeNames, type Scope } from './scopes.js';

/** Input of reading what one's key may do. */
export class GetMe {}

/** Limits of a key: requests and sends a minute, and writes that wait for approval. */
export class KeyLimits {
  @Count('Requests a minute.', { max: 1_000_000 })
  requestsPerMinute!: number;

  @Count('Sends a minute.', { max: 1_000_000 })
  sendsPerMinute!: number;

  @Count('Writes that may wait for approval at a time.', { max: 1_000 })
  pendingApprovals!: number;
}

/** The key of a request, as it is now. */
export class Me extends WholeList {
  @Id('key', 'The key.')
  id!: string;

  @Text('Its name.', { max: 200 })
  name!: string;

  @OneOf(keyKinds, 'Of a person, or of an agent.')
  kind!: (typeof keyKinds)[number];

  @OneOf(approvalModes, 'Whether its writes wait for a person; null of a person’s.', {
    nullable: true,
  })
  approval!: (typeof approvalModes)[number] | null;

  @SomeOf(scopeNames, 'What it may do.')
  scopes!: Scope[];

  @ListOf(() => MailboxGrant, 'Mailboxes that it may read, or write in.', { max: 1_000 })
  mailboxes!: MailboxGrant[];

  @Text('Address of the member that it is attached to.', { max: 320, nullable: true })
  member!: string | null;

  @Flag('Whether it is the workspace administrator’s.')
  admin!: boolean;

  @Part(() => KeyLimits, 'How much it may do.')
  limits!: KeyLimits;
}

/** Input of the list of refusals. */
export class ListMyRefusals {
  @Count('Refusals on a page.', { min: 1, max: 1_000, default: 100 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** Input of the list of a key's refusals. */
export class ListKeyRefusals extends ListMyRefusals {
  @Id('key', 'The key.')
  id!: string;
}

/** A write that was refused. */
export class RefusedWrite {
  @Instant('When.')
  at!: string;

  @Text('The operation.', { max: 100 })
  operation!: string;

  @Count('Status of the answer.', { min: 400, max: 499 })
  status!: number;

  @Text('Code of the refusal.', { max: 60 })
  code!: string;

  @OneOf(refusalRules, 'The check that refused.')
  rule!: RefusalRule;

  @Text('The request, as `X-Request-Id` named it.', { max: 64 })
  requestId!: string;
}

/** A page of refusals, newest first. */
export class RefusalPage {
  @ListOf(() => RefusedWrite, 'Refusals, newest first.', { max: 1_000 })
  refusals!: RefusedWrite[];

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** Information for a key about itself (`decisions.md` §9). */
export const me = family('access', 'me', {
  get: operation({
    http: 'GET /v1/me',
    scope: 'any',
    summary: 'Say what the key of this request may do',
    input: GetMe,
    output: Me,
    addition: true,
    keysOnly: true,
  }),
  refusals: operation({
    http: 'GET /v1/me/refusals',
    scope: 'any',
    summary: 'List the writes of this key that were refused in the last seven days, newest first',
    input: ListMyRefusals,
    output: RefusalPage,
    problems: ['INVALID_PAGE_TOKEN'],
    addition: true,
    keysOnly: true,
  }),
});

/** The same, for administrators. */
export const keyRefusals = family(
  'access',
  'keyRefusals',
  {
    list: operation({
      http: 'GET /keys/:id/refusals',
      summary: 'List the writes of a key that were refused in the last seven days, newest first',
      input: ListKeyRefusals,
      output: RefusalPage,
      problems: ['INVALID_PAGE_TOKEN', 'KEY_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
