import { Done } from './answers.js';
import { Count, Email, Id, Instant, ListOf, OneOf, PageToken, Part, Text } from './fields/index.js';
import { family, operation } from './operation.js';

export const suppressionReasons = ['bounced', 'complained', 'member'] as const;

const pageMax = 1_000;

/** An address that a send is asked to confirm. */
export class Suppression {
  @Text('The address: lower case, its domain in ASCII.', { max: 320 })
  address!: string;

  @OneOf(
    suppressionReasons,
    'A message to it was refused for good (a report with status 5.x.x), its reader complained (RFC 5965), or a member has added it.',
  )
  reason!: (typeof suppressionReasons)[number];

  @Text('Status and reason, in the server’s words.', { max: 600, nullable: true })
  status!: string | null;

  @Instant('When.')
  at!: string;

  @Id('msg', 'The report that says so, while it is kept.', { nullable: true })
  messageId!: string | null;
}

/** Input of the list. */
export class ListSuppressions {
  @Count('Addresses on a page.', { min: 1, max: pageMax, default: 100 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** A page of suppressed addresses. */
export class SuppressionPage {
  @ListOf(() => Suppression, 'Suppressed addresses, by address.', { max: pageMax })
  suppressions!: Suppression[];

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** Addresses that refused mail for good, or complained (`decisions.md` §12). */
export const suppressions = family('mail', 'suppressions', {
  list: operation({
    http: 'GET /v1/suppressions',
    addition: true,
    scope: 'mail:send',
    summary: 'List the addresses to which a send has to be confirmed',
    description: `An address is added when a report about a message that was sent to it arrives. A send to one is
answered 409 \`DLP_WARNING\` with \`suppressed\`; its token confirms it. Members remove addresses.`,
    input: ListSuppressions,
    output: SuppressionPage,
  }),
});

/** Input of a member who adds an address. */
export class AddSuppression {
  @Email('The address.')
  address!: string;
}

/** Input of a member who removes one. */
export class RemoveSuppression extends AddSuppression {}

/** One suppressed address. */
export class SuppressionAnswer {
  @Part(() => Suppression, 'The address; as it was, if it was there already.')
  suppression!: Suppression;
}

/** Changes of the list by members. */
export const suppressionSettings = family(
  'mail',
  'suppressionSettings',
  {
    add: operation({
      http: 'POST /suppressions',
      addition: true,
      summary: 'Have sends to an address confirmed',
      input: AddSuppression,
      output: SuppressionAnswer,
      problems: ['QUOTA_EXCEEDED'],
    }),
    remove: operation({
      http: 'DELETE /suppressions/:address',
      addition: true,
      summary: 'Send to an address without confirmation again',
      input: RemoveSuppression,
      output: Done,
      problems: ['SUPPRESSION_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
