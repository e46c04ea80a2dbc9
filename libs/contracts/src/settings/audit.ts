import { Count, Flag, Id, Instant, ListOf, OneOf, PageToken, Part, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

const actorTypes = ['key', 'member', 'system'] as const;
const sources = ['app', 'api', 'mcp', 'inbound', 'automation'] as const;

const count = { max: Number.MAX_SAFE_INTEGER };
const nameOrNone = { max: 200, nullable: true } as const;

/** Author of a change. */
export class AuditActor {
  @OneOf(actorTypes, 'A key, a member, or the service itself.')
  type!: (typeof actorTypes)[number];

  @Text('The key or member; null for the service itself.', { max: 64, nullable: true })
  id!: string | null;

  @Text('Its name as it is now; null for the service itself, and once it is removed.', nameOrNone)
  name!: string | null;
}

/** A sealed audit record: an entry of the workspace's chain. */
export class AuditEntry {
  @Id('aud', 'The record.')
  id!: string;

  @Instant('When it happened.')
  at!: string;

  @Part(() => AuditActor, 'Who did it.')
  actor!: AuditActor;

  @OneOf(sources, 'By which way.')
  source!: (typeof sources)[number];

  @Text(
    'What was done: the operation, or `key.refused`, `key.rateLimited`, `member.signInRefused`, `workspace.create`, `tool.done`, `tool.filed`, `tool.refused`, `tool.failed`.',
    {
      max: 100,
    },
  )
  action!: string;

  @Text('What it was done to.', { max: 64, nullable: true })
  subjectId!: string | null;

  @Text('Its name as it is now, of a member, key or team; else null.', nameOrNone)
  subjectName!: string | null;

  @Text('The request it was done by, as `X-Request-Id` named it.', { max: 64, nullable: true })
  requestId!: string | null;

  @Text('The member who approved it, of an agent’s write that had to wait.', {
    max: 64,
    nullable: true,
  })
  approvedBy!: string | null;

  @Text('The name of that member as it is now.', nameOrNone)
  approvedByName!: string | null;

  @Count(
    'How long it took in milliseconds: a tool call until its answer, a write in its service; null where nothing was measured.',
    { ...count, nullable: true },
  )
  durationMs!: number | null;

  @Count('Its place in the chain, from 1.', count)
  position!: number;

  @Text('HMAC-SHA256 of the entry before and this record, in hexadecimal.', { max: 64 })
  hash!: string;
}

/** The entries that are asked for. */
class ChosenAudit {
  @Text('Entries of this key or member only.', { max: 64, filled: true, optional: true })
  actor?: string;

  @Text('Entries of this action only.', { max: 100, filled: true, optional: true })
  action?: string;

  @Text('Entries of what was done to this only.', { max: 64, filled: true, optional: true })
  subject?: string;

  @Instant('Entries of this time and later.', { optional: true })
  from?: string;

  @Instant('Entries before this time.', { optional: true })
  to?: string;
}

/** A page of the list. */
export class ListAudit extends ChosenAudit {
  @Count('Entries a page.', { min: 1, max: 200, default: 50 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

/** A page of the audit, newest first. */
export class AuditPage {
  @ListOf(() => AuditEntry, 'Entries, newest first.', { max: 200 })
  items!: AuditEntry[];

  @Text('Asks for the next page; null after the last.', { max: 2000, nullable: true })
  nextPageToken!: string | null;
}

/** The entries that are exported, and from where in the chain. */
export class ExportAudit extends ChosenAudit {
  @Count('Entries after this place in the chain.', { ...count, default: 0 })
  after!: number;
}

/**
 * A part of the export: lines of NDJSON. Each is an {@link AuditEntry}, oldest first; the last line of
 * the last part is `{ "head": { "length", "lastHash", "hash" } }`, or of no part when nothing is sealed, or
 * when entries are chosen: they are no chain.
 */
export class AuditLines {
  @Text('Lines, each with its end.', { max: 1_000_000 })
  lines!: string;

  @Count('Where the next part begins; null after the last.', { ...count, nullable: true })
  after!: number | null;
}

/** Input of verification. */
export class VerifyAudit {
  @Count('Walks on after this place in the chain, whose entry is taken as it stands.', {
    ...count,
    default: 0,
  })
  after!: number;
}

/** Result of a walk of the whole chain. */
export class AuditVerdict {
  @Flag('Whether the chain is whole and unaltered.')
  ok!: boolean;

  @Count('The place of the last entry that follows from those before.', count)
  entries!: number;

  @Instant('Time of the last sealed entry; null when nothing is sealed.', { nullable: true })
  sealedThrough!: string | null;

  @Count('Records that are still to be sealed, in whichever service they wait.', count)
  unsealed!: number;

  @Id('aud', 'The first entry that does not follow from those before; null without one.', {
    nullable: true,
  })
  firstBrokenId!: string | null;
}

/** The audit of the workspace (`decisions.md` §3). */
export const audit = family(
  'access',
  'audit',
  {
    list: operation({
      http: 'GET /audit',
      summary: 'List audit entries, newest first',
      input: ListAudit,
      output: AuditPage,
      problems: ['INVALID_PAGE_TOKEN'],
    }),
    export: operation({
      http: 'GET /audit/export',
      answer: 'lines',
      summary: 'Export the whole chain, or chosen entries of it, oldest first, as NDJSON',
      input: ExportAudit,
      output: AuditLines,
    }),
    verify: operation({
      http: 'GET /audit/verify',
      answer: 'steps',
      summary: 'Walk the chain and say whether it is whole',
      input: VerifyAudit,
      output: AuditVerdict,
    }),
  },
  { audience: 'member', admin: true },
);
