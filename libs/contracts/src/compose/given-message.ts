import {
  Addresses,
  AttachedFiles,
  HeaderText,
  Id,
  OneOf,
  Text,
  type AttachedFile,
  type Recipient,
} from '../fields/index.js';
import { bodyMax, priorities, subjectMax, type Priority } from './message-parts.js';

/** What may be left out of a message may be null too, as in a draft. */
export const leftOut = { optional: true, nullable: 'absent' } as const;
const none = { default: [], nullable: 'absent' } as const;

/** What both send routes take of a message (public-api.md §4); `messageFaults` is part of its rule. */
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

  @Id('msg', 'The message it answers.', leftOut)
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
