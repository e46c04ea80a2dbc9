import {
  Addresses,
  attachedCharactersMax,
  type AttachedFile,
  AttachedFiles,
  attachedFilesMax,
  base64Length,
  HeaderText,
  Id,
  OneOf,
  type Recipient,
  recipientsMax,
  Text,
  type Violation,
} from './fields/index.js';
import { invalidField, type Problem } from './problems.js';

/** Declared priorities of a message. */
export const priorities = ['high', 'normal', 'low'] as const;

export type Priority = (typeof priorities)[number];

/** Code points of a subject and of a body. */
export const subjectMax = 998;
export const bodyMax = 1_048_576;

/** The fields of a message that no field can judge alone; absent and null ones count for nothing. */
export interface MessageParts {
  readonly to?: readonly Recipient[] | null;
  readonly cc?: readonly Recipient[] | null;
  readonly bcc?: readonly Recipient[] | null;
  readonly attachments?: readonly AttachedFile[] | null;
}

/**
 * Faults of a message as a whole: more than 500 addresses (400), too many or too large files (413), as
 * public-api.md §8 has it.
 */
export const messageFaults = (message: MessageParts): readonly Violation[] => [
  ...recipientFaults(message),
  ...attachmentFaults(message.attachments ?? []),
];

/** The message that is answered is of another conversation than the one that is named (400). */
export const ofAnotherThread = (): Problem =>
  invalidField(
    'inReplyTo',
    'message d’une autre conversation',
    'a message of another conversation',
  );

function recipientFaults(message: MessageParts): readonly Violation[] {
  let count = 0;
  for (const field of ['to', 'cc', 'bcc'] as const) {
    count += message[field]?.length ?? 0;
    if (count <= recipientsMax) continue;
    const fr = `au plus ${recipientsMax} adresses attendues dans to, cc et bcc ensemble`;
    const en = `expected at most ${recipientsMax} addresses in to, cc and bcc together`;
    return [{ field, fault: 'TOO_LONG', message: { fr, en } }];
  }
  return [];
}

function attachmentFaults(files: readonly AttachedFile[]): readonly Violation[] {
  const characters = files.reduce((sum, file) => sum + charactersOf(file), 0);
  if (files.length <= attachedFilesMax && characters <= attachedCharactersMax) return [];
  const fr = `au plus ${attachedFilesMax} pièces jointes et ${attachedCharactersMax} caractères base64 attendus`;
  const en = `expected at most ${attachedFilesMax} attachments and ${attachedCharactersMax} base64 characters`;
  return [{ field: 'attachments', fault: 'TOO_LARGE', message: { fr, en }, tooLarge: true }];
}

const charactersOf = ({ contentBase64: content }: AttachedFile): number =>
  typeof content === 'string' ? content.length : base64Length(content.size);

/** Parts of a message that may be left out may be null too, as in a draft. */
export const leftOut = { optional: true, nullable: 'absent' } as const;
const none = { default: [], nullable: 'absent' } as const;

/** Input of both send routes for a message (public-api.md §4); `messageFaults` is part of its rule. */
export class GivenMessage {
  @Addresses('Recipients.', { filled: true })
  to!: Recipient[];

  @Addresses('Recipients of a copy.', none)
  cc!: Recipient[];

  @Addresses('Recipients of a copy whom the others do not see.', none)
  bcc!: Recipient[];

  @HeaderText('Subject.', { max: subjectMax, filled: true })
  subject!: string;

  @Text('What it says: HTML, or plain text.', { max: bodyMax })
  body!: string;

  @Id('msg', 'The message it answers; the newest of its conversation when absent.', leftOut)
  inReplyTo?: string;

  @OneOf(priorities, 'Declared priority.', leftOut)
  priority?: Priority;

  @Id('sig', 'The signature to be written below it, an addition; none when absent.', leftOut)
  signatureId?: string;

  @AttachedFiles('Files: at most 50, and 26,214,400 characters of base64 together.', {
    streamed: true,
    ...none,
  })
  attachments!: AttachedFile[];
}
