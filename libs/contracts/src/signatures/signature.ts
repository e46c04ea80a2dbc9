import { Email, Flag, Id, Instant, Text, Version } from '../fields/index.js';

/** Signatures of a workspace: a list of them all has to stay an answer of a few megabytes. */
export const signaturesMax = 200;

/** What is written below a message (`decisions.md` §4). */
export class Signature {
  @Id('sig', 'The signature.')
  id!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @Text('HTML, sanitised.', { max: 1_048_576 })
  html!: string;

  @Text('Plain text.', { max: 1_048_576 })
  text!: string;

  @Email('The mailbox it is for; null for any.', { nullable: true })
  mailbox!: string | null;

  @Flag('Whether it is the one to begin with, of those for the same mailbox.')
  isDefault!: boolean;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}
