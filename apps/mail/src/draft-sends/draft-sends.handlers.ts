import { hash } from 'node:crypto';
import { actorOf, memberOf } from '@postroom/access';
import {
  draftSends,
  invalidField,
  Problem,
  type Draft,
  type SendDraft,
  type SendReceipt,
} from '@postroom/contracts';
import {
  handlers,
  requireVersion,
  UnitOfWork,
  type Changing,
  type Sending,
} from '@postroom/operations';
import { holdWarning } from '../dlp/index.js';
import { findDraft, lockDraft, shownDraft, type LockedDraft } from '../drafts/index.js';
import { Confirmation, duplicateProblem, fingerprintOf, Sender } from '../sends/index.js';
import { signatureFor } from '../signatures/index.js';
import { DraftMessages, keyOfDraft, requestOf, requireSendable } from './draft-message.js';
import {
  beginDraft,
  giveDraftBack,
  holdDraftBack,
  receiptOfDraft,
  recordSetback,
  scheduleDraft,
  setbackOf,
  triedForMs,
  type Schedule,
} from './scheduled-drafts.js';

/** Drafts that members send, now or later. */
export const DraftSendsHandlers = handlers(
  draftSends,
  [UnitOfWork, Sender, DraftMessages, Confirmation],
  (work, sender, messages, confirmation) => ({
    get: async (context, { mailbox, id }) => {
      const draft = await findDraft(context, mailbox, id);
      if (!draft) throw new Problem('DRAFT_NOT_FOUND');
      return { draft };
    },

    send: async (context, input) =>
      input.sendAt === undefined
        ? sendNow({ work, sender, messages }, context, input)
        : { draft: await sendLater({ work, confirmation }, context, input, input.sendAt) },

    unsend: async (context, { ifMatch, ...named }) => {
      const draft = await lockDraft(context, named);
      requireVersion(draft, ifMatch);
      if (draft.sendState === 'sending') throw new Problem('DRAFT_SENDING');
      if (draft.sendState !== null) await holdDraftBack(context, named.id);
      return { draft: await shownDraft(context, named.mailbox, named.id) };
    },
  }),
);

const aheadMaxMs = 366 * 24 * 60 * 60_000;

interface Waiting {
  readonly work: UnitOfWork;
  readonly confirmation: Confirmation;
}

async function sendLater(
  { work, confirmation }: Waiting,
  context: Sending,
  input: SendDraft,
  time: string,
): Promise<Draft> {
  const { tenantId, caller, requestId, operation: action } = context;
  const { id, mailbox } = input;
  const sendAt = new Date(time);
  const sent = sentBy(context, input);
  const origin = { tenantId, actor: actorOf(caller), source: caller.source };
  const asked = await work.change(origin, null, async (changing) => {
    const aheadMs = sendAt.getTime() - changing.at.getTime();
    if (aheadMs < 0 || aheadMs > aheadMaxMs) throw notWithinAYear(aheadMs);
    const found = await lockedDraft(changing, input);
    if (found.sendState === 'sending') throw new Problem('DRAFT_SENDING');
    return { value: found };
  });
  await requireConfirmed(confirmation, context, asked, { ...sent, sendAt });
  return work.change(origin, null, async (changing) => {
    await lockedDraft(changing, { ...input, ifMatch: asked.draft.version });
    await scheduleDraft(changing, id, { sendAt, ...sent });
    const value = await shownDraft(changing, mailbox, id);
    return { value, audit: { action, subjectId: id, requestId } };
  });
}

/**
 * Judges a draft that leaves later by the DLP rules as they are now, too. The token that confirms a warning is kept until then.
 * @throws Problem DLP_WARNING, DLP_BLOCKED
 */
async function requireConfirmed(
  confirmation: Confirmation,
  context: Sending,
  { draft, mailboxId }: FoundDraft,
  { warning, sendAt }: Schedule,
): Promise<void> {
  const { mailbox, subject, body, signatureId, attachments } = draft;
  const request = requestOf(draft, warning);
  const { to, cc, bcc } = request;
  const signature = signatureId === null ? null : await signatureFor(context, mailbox, signatureId);
  const until = new Date(sendAt.getTime() + triedForMs + keptForMs);
  await confirmation.require(
    context,
    { mailbox, subject, body, signature, recipients: [...to, ...cc, ...bcc], attachments },
    { mailboxId, fingerprint: fingerprintOf(request) },
    async (changing, warned) => warning !== null && holdWarning(changing, warning, until, warned),
  );
}

/** A worker that takes it late finds its warning confirmed. */
const keptForMs = 60 * 60_000;

const notWithinAYear = (aheadMs: number): Problem =>
  invalidField(
    'sendAt',
    'date future, à un an au plus, attendue',
    'expected a time within the next year',
    aheadMs > 0 ? 'TOO_LARGE' : 'TOO_SMALL',
  );

interface FoundDraft extends Pick<LockedDraft, 'sendState' | 'mailboxId'> {
  readonly draft: Draft;
}

/** The draft, locked, in the version that its author has seen, and fit to leave. */
async function lockedDraft(changing: Changing, input: SendDraft): Promise<FoundDraft> {
  const locked = await lockDraft(changing, input);
  requireVersion(locked, input.ifMatch);
  const draft = await shownDraft(changing, input.mailbox, input.id);
  requireSendable(draft);
  return { draft, sendState: locked.sendState, mailboxId: locked.mailboxId };
}

function sentBy({ caller }: Sending, { dlpWarningToken }: SendDraft) {
  const by = memberOf(caller);
  if (by === null) throw new Error('a draft is sent by a member');
  return { by, warning: dlpWarningToken === undefined ? null : hash('sha256', dlpWarningToken) };
}

interface Parts {
  readonly work: UnitOfWork;
  readonly sender: Sender;
  readonly messages: DraftMessages;
}

/** A draft that this request sends. */
interface DraftSending {
  readonly draft: Draft;
  readonly token: string;
}

/** Sends a draft; one that has left is answered with its receipt. */
async function sendNow(
  { work, sender, messages }: Parts,
  context: Sending,
  input: SendDraft,
): Promise<SendReceipt> {
  const { tenantId, caller } = context;
  const { id, mailbox } = input;
  const sent = sentBy(context, input);
  const origin = { tenantId, actor: actorOf(caller), source: caller.source };
  const begun = await work.change<SendReceipt | DraftSending>(origin, null, async (changing) => {
    const found = await lockedDraft(changing, input).catch(async (error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'DRAFT_NOT_FOUND') throw error;
      return receiptOfDraft(changing, mailbox, id);
    });
    if (!('draft' in found)) return { value: found };
    const { draft, sendState } = found;
    if (sendState === 'sending')
      throw duplicateProblem(draft.scheduled?.reason === 'SEND_OUTCOME_UNKNOWN');
    return { value: { draft, token: await beginDraft(changing, id, sent) } };
  });
  if (!('draft' in begun)) {
    context.header('x-svc-idempotency', 'hit');
    return begun;
  }
  const own = { tenantId, id, token: begun.token };
  try {
    const message = await messages.messageOf(context, begun.draft, sent.warning);
    return await sender.send({ ...context, idempotencyKey: keyOfDraft(id) }, message);
  } catch (error) {
    // If this cannot be recorded, a worker looks after the draft once the lease has run out.
    await (
      setbackOf(error) === 'open'
        ? recordSetback(work, own, { sendAt: new Date() }, error)
        : giveDraftBack(work, own)
    ).catch(() => undefined);
    throw error;
  }
}
