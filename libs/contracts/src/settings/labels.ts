import { Count, Flag, Id, Label, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

/** Input of removal. */
export class RemoveLabel {
  @Id('mbx', 'The mailbox.')
  id!: string;

  @Label('The label, however it is written (letter case, width, spaces).')
  label!: string;

  @Text('Goes on after a step; not needed.', { max: 30, default: '' })
  after!: string;
}

/** Input of renaming. */
export class RenameLabel extends RemoveLabel {
  @Label('Its new name. A label that has it already takes its conversations.')
  name!: string;
}

/** Answer of a change of a label. */
export class LabelChanged {
  @Flag('Always true.')
  ok!: boolean;

  @Count('Conversations that had it.', { max: Number.MAX_SAFE_INTEGER })
  conversations!: number;
}

const inSteps = `Conversations are changed a few hundred at a time, while others go on working in them; repeat it if it
was interrupted. It emits no event, and moves \`updatedAt\` and \`version\` of each.`;

/** Labels of a mailbox (`decisions.md` §9). */
export const labelSettings = family(
  'mail',
  'labels',
  {
    rename: operation({
      http: 'PATCH /mailboxes/:id/labels/:label',
      answer: 'steps',
      addition: true,
      summary: 'Rename a label of a mailbox, or merge it into another',
      description: inSteps,
      input: RenameLabel,
      output: LabelChanged,
      isAudited: ({ after }) => after === '',
      problems: ['MAILBOX_NOT_FOUND', 'LABEL_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /mailboxes/:id/labels/:label',
      answer: 'steps',
      addition: true,
      summary: 'Take a label off all conversations of a mailbox',
      description: inSteps,
      input: RemoveLabel,
      output: LabelChanged,
      isAudited: ({ after }) => after === '',
      problems: ['MAILBOX_NOT_FOUND', 'LABEL_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
