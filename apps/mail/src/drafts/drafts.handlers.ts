import { actorOf, type Caller } from '@postroom/access';
import {
  draftGiven,
  drafts,
  invalidField,
  messageFaults,
  newId,
  Problem,
  type Draft,
  type DraftContent,
  type DraftPage,
  type ListDrafts,
  type UpdateDraft,
} from '@postroom/contracts';
import {
  canonicalJson,
  handlers,
  requireRoom,
  requireVersion,
  type Reading,
  type ReadTarget,
  type Writing,
} from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { requireMailboxExists } from '../conversations/index.js';
import { completedAnswer } from './answered-message.js';
import { addFiles, filesOf, replaceFiles } from './draft-files.js';
import { referencesWithin, type DraftReferences } from './draft-references.js';
import {
  createDraft,
  changeDraft,
  draftColumns,
  findDraft,
  lockDraft,
  removeDraft,
  shownDraft,
  type DraftText,
  type StoredDraft,
} from './stored-drafts.js';

/** A draft as the API shows it. */
const draftTarget: ReadTarget = async (context, id, input) => {
  const { mailbox } = input as { readonly mailbox: string };
  const view = await findDraft(context, mailbox, id);
  if (!view) return null;
  const { version, subject: title } = view;
  return { type: 'draft', id, version, title, view, within: { type: 'mailbox', id: mailbox } };
};

/** Drafts of a shared mailbox; one of another mailbox does not exist. */
export const DraftsHandlers = handlers(
  drafts,
  [PageTokens, MailConfig],
  (tokens, config) => ({
    list: (context, input) => pageOfDrafts(context, tokens, input),

    create: {
      prepare: async ({ caller }, input) => {
        const asked = draftGiven(input);
        const files = await filesOf(asked.attachments ?? []);
        const createdBy = actorOf(caller);
        return async (context) => {
          const id = newId('drf');
          context.subject(id);
          await requireRoom(context, 'drafts', config.quotaDrafts);
          const given = await completedAnswer(context, input.mailbox, asked);
          const wanted = namesOf(given, emptyDraft);
          const { mailboxId, ...names } = await referencesWithin(context, input.mailbox, wanted);
          const draft = { id, ...textOf(given, emptyDraft), ...names };
          await createDraft(context, draft, { mailboxId, createdBy, source: sourceOf(caller) });
          await addFiles(context, { id, mailboxId }, files, config.quotaStoredBytes);
          return { draft: await shownDraft(context, input.mailbox, id) };
        };
      },
    },

    update: {
      prepare: async (_reading, input) => {
        const given = draftGiven(input);
        const files =
          given.attachments === undefined ? null : await filesOf(given.attachments ?? []);
        return async (context) => {
          const { id, mailbox } = input;
          const before = await unscheduledDraft(context, input);
          const text = textOf(given, before);
          requireWithinLimits(text);
          const wanted = namesOf(given, before);
          requireAgreement(given, wanted);
          const { mailboxId, ...names } = await referencesWithin(context, mailbox, wanted);
          const filed = { id, mailboxId };
          const hasOtherFiles = await replaceFiles(context, filed, files, config.quotaStoredBytes);
          const draft = { id, ...text, ...names };
          if (hasOtherFiles || isOther(draft, before)) await changeDraft(context, before, draft);
          return { draft: await shownDraft(context, mailbox, id) };
        };
      },
    },

    remove: async (context, { ifMatch, ...named }) => {
      const draft = await lockDraft(context, named);
      requireVersion(draft, ifMatch);
      if (draft.sendState === 'sending') throw new Problem('DRAFT_SENDING');
      await removeDraft(context, draft);
      return { ok: true, id: named.id };
    },
  }),
  { target: draftTarget },
);

/** The draft, locked in the version that was read. @throws Problem DRAFT_SCHEDULED while it waits or leaves */
async function unscheduledDraft(context: Writing, input: UpdateDraft): Promise<StoredDraft> {
  const { sendState, mailboxId: _, ...draft } = await lockDraft(context, input);
  requireVersion(draft, input.ifMatch);
  if (sendState === 'waiting' || sendState === 'sending') throw new Problem('DRAFT_SCHEDULED');
  return draft;
}

/** Bytes of a page, since a hundred large drafts are too much for one answer. */
const pageBytesMax = 4 * 1024 * 1024;

const list = statement<Draft & { more: boolean }>(
  'drafts.list',
  `SELECT ${draftColumns('(f.draft)', '$2::text')}, f.more
   FROM list_drafts($1, $2, $3, $4, $5, $6, $7) f`,
);

/** Drafts of a mailbox, last changed first; one that is changed meanwhile is on the first page again. */
async function pageOfDrafts(
  context: Reading,
  tokens: PageTokens,
  { mailbox, threadId, limit, pageToken }: ListDrafts,
): Promise<DraftPage> {
  const query = ['drafts.list', context.tenantId, mailbox, threadId ?? ''];
  const [at = 'infinity', id = ''] = tokens.read(query, pageToken);
  const found = await context.rows(list, [
    ...[mailbox, threadId ?? null, at, id],
    ...[limit, pageBytesMax],
  ]);
  if (found.length === 0) await requireMailboxExists(context, mailbox);
  const last = found.at(-1);
  return {
    mailbox,
    drafts: found.map(({ more: _, ...draft }) => draft),
    truncated: last?.more ?? false,
    nextPageToken: last?.more ? tokens.issue(query, [last.updatedAt, last.id]) : null,
  };
}

/** An empty draft. */
const emptyDraft: Omit<StoredDraft, 'id' | 'version'> = {
  threadId: null,
  inReplyTo: null,
  signatureId: null,
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  body: '',
};

/** Undefined keeps the value, null clears it. */
const merged = <T>(given: T | null | undefined, before: T, cleared: T): T =>
  given === undefined ? before : (given ?? cleared);

const textOf = (given: DraftContent, before: DraftText): DraftText => ({
  to: merged(given.to, before.to, []),
  cc: merged(given.cc, before.cc, []),
  bcc: merged(given.bcc, before.bcc, []),
  subject: merged(given.subject, before.subject, ''),
  body: merged(given.body, before.body, ''),
});

const namesOf = (given: DraftContent, before: DraftReferences): DraftReferences => ({
  threadId: merged(given.threadId, before.threadId, null),
  inReplyTo: merged(given.inReplyTo, before.inReplyTo, null),
  signatureId: merged(given.signatureId, before.signatureId, null),
});

/** A draft that answers a message is in its thread, which cannot be cleared alone. */
function requireAgreement({ threadId }: DraftContent, { inReplyTo }: DraftReferences): void {
  if (threadId !== null || inReplyTo === null) return;
  const fr = 'le brouillon répond à un message de cette conversation : videz aussi inReplyTo';
  throw invalidField('threadId', fr, 'it answers a message of this thread: clear inReplyTo too');
}

const isOther = (
  draft: Omit<StoredDraft, 'version'>,
  { version: _, ...before }: StoredDraft,
): boolean => canonicalJson(draft) !== canonicalJson(before);

/** An input may be valid by itself and exceed a limit together with the stored draft. */
function requireWithinLimits(text: DraftText): void {
  const violations = messageFaults(text);
  if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
}

const sourceOf = ({ source }: Caller): Draft['source'] =>
  source === 'app' || source === 'mcp' ? source : 'api';
