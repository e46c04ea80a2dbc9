import {
  calendarEvents,
  contacts,
  conversations,
  triage,
  type Operation,
} from '@postroom/contracts';

/** Control and format characters, among them those that change the direction of a text. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]+/gu;

const titleMax = 120;

/** An operation in a few words of its own. */
export const plainSummary = ({ summary }: Operation): string => summary.split(/[:;,]/, 1)[0] ?? '';

/** A write when it is filed. */
export interface Summarised {
  readonly operation: Operation;
  readonly input: object;
  /** The title of the resource. */
  readonly title: string | null;
  /** True if the resource is there already. */
  readonly exists: boolean;
}

/** Says in plain English what a write would do. */
export function summaryOf(write: Summarised): string {
  const { operation, title, input } = write;
  const mailbox: unknown = Reflect.get(input, 'mailbox');
  const name = shortened(title ?? '');
  return [
    wordings[operation.id]?.(write) ?? plainSummary(operation),
    ...(name === '' ? [] : [`“${name}”`]),
    ...(typeof mailbox === 'string' ? [`in ${mailbox}`] : []),
  ].join(' ');
}

type Wording = (write: Summarised) => string | undefined;

const ofEvent =
  (whole: string, part: string): Wording =>
  ({ input }) => {
    const { occurrenceStartMs: ms, scope } = input as {
      readonly occurrenceStartMs?: number;
      readonly scope?: string;
    };
    if (ms === undefined) return whole;
    const start = new Date(ms).toISOString();
    return scope === 'following'
      ? `${part} all occurrences from ${start} on of the event`
      : `${part} the occurrence of ${start} of the event`;
  };

/** Wordings for operations whose own words do not fit the title, or depend on the input. */
const wordings: Readonly<Record<string, Wording>> = {
  [conversations.comment.id]: () => 'Add an internal comment to the conversation',
  [contacts.create.id]: ({ exists }) => (exists ? 'Change the contact' : 'Create the contact'),
  [calendarEvents.update.id]: ofEvent('Change the event', 'Change'),
  [calendarEvents.remove.id]: ofEvent('Delete the event', 'Cancel'),
  [triage.label.id]: ({ input }) => {
    const { add, remove } = input as { readonly add: unknown[]; readonly remove: unknown[] };
    if (remove.length === 0) return 'Put labels on a conversation';
    return add.length === 0 ? 'Take labels off a conversation' : undefined;
  },
};

function shortened(title: string): string {
  const characters = [...title.replaceAll(unprintable, ' ').trim()];
  return characters.length > titleMax
    ? `${characters.slice(0, titleMax).join('')}…`
    : characters.join('');
}
