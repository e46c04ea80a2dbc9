import {
  Recipient,
  recipientNamed,
  type Participant,
  type DraftContent,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

interface AnsweredMessage {
  readonly direction: 'inbound' | 'outbound';
  readonly sender: Participant | null;
  readonly recipients: readonly Participant[];
  readonly replyTo: readonly Participant[];
  readonly subject: string;
}

const find = statement<AnsweredMessage>(
  'drafts.answered_message',
  `SELECT g.direction, g.sender, g.recipients, g.reply_to AS "replyTo", g.subject
   FROM messages g JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
   WHERE g.tenant_id = $1 AND m.address = $2 AND g.id = $3`,
);

const subjectMax = 998;

/** `Re: ` once, however often it was answered before. */
const answering = (subject: string): string =>
  (/^\s*re\s*:/i.test(subject) ? subject.trim() : `Re: ${subject}`).slice(0, subjectMax);

/** The recipients of an answer: those of `Reply-To`, else the sender; an answer to our own message goes where that one went. */
function repliesGoTo({ direction, sender, recipients, replyTo }: AnsweredMessage): Recipient[] {
  const named =
    direction === 'outbound' ? recipients : replyTo.length > 0 ? replyTo : sender ? [sender] : [];
  return named.flatMap(({ email, name }) =>
    email === null ? [] : (recipientNamed(email, name ?? '') ?? []),
  );
}

/**
 * A draft of an agent's tool that answers a message takes from it what is not given (`decisions.md` §7); over REST
 * a draft has what it is given, and nothing is guessed.
 */
export async function completedAnswer(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  mailbox: string,
  given: DraftContent,
): Promise<DraftContent> {
  if (caller.source !== 'mcp') return given;
  const { inReplyTo, to, cc, bcc, subject } = given;
  const [answered] = inReplyTo ? await rows(find, [mailbox, inReplyTo]) : [];
  if (!answered) return given;
  const isAddressed = [to, cc, bcc].some((field) => (field ?? []).length > 0);
  return {
    ...given,
    ...(!isAddressed && { to: repliesGoTo(answered) }),
    ...((subject ?? '') === '' && { subject: answering(answered.subject) }),
  };
}
