import type { Suppression } from '@postroom/contracts';
import type { Address } from './content.js';

/** As "Claire and 2 others". */
export function nameOfRecipients(message: {
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
}): string {
  const [first, ...others] = [...message.to, ...message.cc, ...message.bcc];
  if (!first) return 'nobody yet';
  const name = first.name ?? first.email;
  if (others.length === 0) return name;
  return `${name} and ${others.length} ${others.length === 1 ? 'other' : 'others'}`;
}

/** Why a message has not left, and what to do; by the code of the refusal. */
const reasons: Readonly<Record<string, string>> = {
  DLP_WARNING: 'A rule asks you to look at this message again before it leaves.',
  DLP_BLOCKED: 'A rule of the workspace lets this message leave by no means.',
  SEND_SWITCH_CLOSED: 'An administrator has closed sending for everyone. Send it again later.',
  MEMBER_REMOVED: 'The member who sent it is not part of the workspace any more.',
  MAILBOX_FORBIDDEN: 'The member who sent it may not write in this mailbox any more.',
  OUTGOING_REFUSED:
    'The mail server refuses this mailbox. An administrator has to look at its settings.',
  OUTGOING_UNAVAILABLE: 'The mail server does not take it right now; it is tried again.',
  RECIPIENTS_REFUSED: 'The mail server refuses every recipient. Check the addresses.',
  MESSAGE_REFUSED: 'The mail server refuses this message.',
  QUOTA_EXCEEDED: 'The workspace has sent as much as it may for now.',
  SEND_OUTCOME_UNKNOWN:
    'The mail server has not confirmed it: it may have left. Do not write it again; an administrator can settle it under Safety.',
};

export const reasonText = (code: string | null): string =>
  code === null ? 'It could not be sent.' : (reasons[code] ?? `It could not be sent (${code}).`);

/** Why a send to an address has to be confirmed, in a sentence. */
export const suppressionReason = ({ reason, status }: Suppression): string => {
  if (reason === 'member') return 'added by a member';
  if (reason === 'complained') return 'its reader complained';
  return `mail to it came back${status === null ? '' : `: ${status}`}`;
};

export const sizeText = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
