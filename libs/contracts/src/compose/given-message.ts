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

/** What both send routes take of a message (public-api.md §4); `messageFaults` is part of its rule. */
export class GivenMessage {
  @Addresses('Recipients.', { filled: true })
  to!: Recipient[];

  @Addresses('Recipients of a copy.', { default: [] })
  cc!: Recipient[];

  @Addresses('Recipients of a copy whom the others do not see.', { default: [] })
  bcc!: Recipient[];

  @HeaderText('Subject.', { max: subjectMax, filled: true })
  subject!: string;

  @Text('What it says: HTML, or plain text.', { max: bodyMax })
  body!: string;

  @Id('msg', 'The message it answers.', { optional: true })
  inReplyTo?: string;

  @OneOf(priorities, 'Declared priority.', { optional: true })
  priority?: Priority;

  @AttachedFiles('Files: at most 50, and 26,214,400 characters of base64 together.', {
    apart: true,
    default: [],
  })
  attachments!: AttachedFile[];
}
