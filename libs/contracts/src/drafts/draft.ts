import { Correspondent } from '../answers.js';
import { bodyMax, subjectMax } from '../compose/index.js';
import { Attachment, Creator } from '../conversations/index.js';
import { Email, Id, Instant, ListOf, OneOf, Part, Text, Version } from '../fields/index.js';

/** A message that is being written (`decisions.md` §4). */
export class Draft {
  @Id('drf', 'The draft.')
  id!: string;

  @Email('The mailbox it is written in.')
  mailbox!: string;

  @Id('cnv', 'The conversation it continues.', { nullable: true })
  threadId!: string | null;

  @Id('msg', 'The message it answers.', { nullable: true })
  inReplyTo!: string | null;

  @ListOf(() => Correspondent, 'Recipients.', { max: 500 })
  to!: Correspondent[];

  @ListOf(() => Correspondent, 'Recipients of a copy.', { max: 500 })
  cc!: Correspondent[];

  @ListOf(() => Correspondent, 'Recipients of a copy whom the others do not see.', { max: 500 })
  bcc!: Correspondent[];

  @Text('Subject.', { max: subjectMax })
  subject!: string;

  @Text('What it says, as it was given: HTML, or plain text.', { max: bodyMax })
  body!: string;

  @ListOf(() => Attachment, 'Files.', { max: 50 })
  attachments!: Attachment[];

  @Id('sig', 'The signature to be written below it.', { nullable: true })
  signatureId!: string | null;

  @Part(() => Creator, 'Who began it.')
  createdBy!: Creator;

  @OneOf(['app', 'api', 'mcp'], 'Where it was begun.')
  source!: 'app' | 'api' | 'mcp';

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}
