import { Controller } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import {
  draftGiven,
  drafts,
  messageFaults,
  newId,
  Problem,
  type CreateDraft,
  type Creator,
  type Draft,
  type DraftAnswer,
  type DraftContent,
  type DraftPage,
  type DraftRemoved,
  type ListDrafts,
  type RemoveDraft,
  type UpdateDraft,
} from '@postroom/contracts';
import {
  Handles,
  Prepares,
  requireVersion,
  type Reading,
  type Writing,
} from '@postroom/operations';
import { addFiles, filesOf, replaceFiles } from './draft-files.js';
import { DraftPages } from './draft-pages.js';
import { referencesWithin, type DraftReferences } from './draft-references.js';
import {
  beginDraft,
  changeDraft,
  lockDraft,
  removeDraft,
  shownDraft,
  type DraftText,
  type KeptDraft,
} from './kept-drafts.js';

/** Drafts of a shared mailbox; one of another mailbox does not exist. */
@Controller()
export class DraftsHandlers {
  constructor(private readonly pages: DraftPages) {}

  @Handles(drafts.list)
  list(context: Reading, input: ListDrafts): Promise<DraftPage> {
    return this.pages.read(context, input);
  }

  @Prepares(drafts.create)
  async create(
    { caller }: Reading,
    input: CreateDraft,
  ): Promise<(context: Writing<typeof drafts.create>) => Promise<DraftAnswer>> {
    const given = draftGiven(input);
    const files = await filesOf(given.attachments ?? []);
    const createdBy = creatorOf(caller);
    const source = sourceOf(caller);
    return async (context) => {
      const id = newId('drf');
      context.subject(id);
      const wanted = namesOf(given, nothing);
      const { mailboxId, ...names } = await referencesWithin(context, input.mailbox, wanted);
      const draft = { id, ...textOf(given, nothing), ...names };
      await beginDraft(context, draft, { mailboxId, createdBy, source });
      await addFiles(context, id, files);
      return { draft: await shownDraft(context, input.mailbox, id) };
    };
  }

  @Prepares(drafts.update)
  async update(
    _reading: Reading,
    input: UpdateDraft,
  ): Promise<(context: Writing<typeof drafts.update>) => Promise<DraftAnswer>> {
    const given = draftGiven(input);
    const files = given.attachments === undefined ? null : await filesOf(given.attachments ?? []);
    return async (context) => {
      const { id, mailbox, ifMatch } = input;
      const before = await lockDraft(context, input);
      requireVersion(before, ifMatch);
      const text = textOf(given, before);
      requireWithinLimits(text);
      const wanted = namesOf(given, before);
      const { mailboxId: _, ...names } = await referencesWithin(context, mailbox, wanted);
      await changeDraft(context, before, { id, ...text, ...names });
      if (files) await replaceFiles(context, id, files);
      return { draft: await shownDraft(context, mailbox, id) };
    };
  }

  @Handles(drafts.remove)
  async remove(
    context: Writing<typeof drafts.remove>,
    { ifMatch, ...named }: RemoveDraft,
  ): Promise<DraftRemoved> {
    const draft = await lockDraft(context, named);
    requireVersion(draft, ifMatch);
    await removeDraft(context, draft);
    return { ok: true, id: named.id };
  }
}

/** What a draft is before anything is said in it. */
const nothing: Omit<KeptDraft, 'id' | 'version'> = {
  ...{ threadId: null, inReplyTo: null, signatureId: null },
  ...{ to: [], cc: [], bcc: [], subject: '', body: '' },
};

/** Absent keeps what was there, null clears it. */
const kept = <T>(given: T | null | undefined, before: T, cleared: T): T =>
  given === undefined ? before : (given ?? cleared);

const textOf = (given: DraftContent, before: DraftText): DraftText => ({
  to: kept(given.to, before.to, []),
  cc: kept(given.cc, before.cc, []),
  bcc: kept(given.bcc, before.bcc, []),
  subject: kept(given.subject, before.subject, ''),
  body: kept(given.body, before.body, ''),
});

function namesOf(given: DraftContent, before: DraftReferences): DraftReferences {
  const threadId = kept(given.threadId, before.threadId, null);
  // In another thread it answers no message of the one before.
  const answered = threadId === before.threadId ? before.inReplyTo : null;
  return {
    threadId,
    inReplyTo: kept(given.inReplyTo, answered, null),
    signatureId: kept(given.signatureId, before.signatureId, null),
  };
}

/** What was given may pass alone and be too much with what was there. */
function requireWithinLimits(text: DraftText): void {
  const violations = messageFaults(text);
  if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
}

const creatorOf = (caller: Caller): Creator =>
  caller.type === 'key'
    ? { type: 'key', id: caller.keyId }
    : { type: 'member', id: caller.memberId };

const sourceOf = ({ source }: Caller): Draft['source'] =>
  source === 'app' || source === 'mcp' ? source : 'api';
