import {
  calendarEvents,
  contacts,
  conversations,
  triage,
  type Operation,
} from '@postroom/contracts';
import { localTime, whenOf, zoneOf } from './readable-times.js';

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
  /** The workspace's. */
  readonly timeZone: string;
}

/** Says in plain English what a write would do. */
export function summaryOf(write: Summarised): string {
  const { operation, title, input, timeZone } = write;
  const mailbox: unknown = Reflect.get(input, 'mailbox');
  const name = shortened(title ?? '');
  const when = whenOf(givenIn(input), timeZone);
  return [
    wordings[operation.id]?.(write) ?? plainSummary(operation),
    ...(name === '' ? [] : [`“${name}”`]),
    ...(when === '' ? [] : [when]),
    ...(typeof mailbox === 'string' ? [`in ${mailbox}`] : []),
  ].join(' ');
}

/** The fields that are given of a resource: a task may stand in an object of its own. */
const givenIn = (input: object): object => (input as { readonly task?: object }).task ?? input;

type Wording = (write: Summarised) => string | undefined;

const ofEvent =
  (whole: string, part: string): Wording =>
  ({ input, timeZone }) => {
    const { occurrenceStartMs: ms, scope } = input as {
      readonly occurrenceStartMs?: number;
      readonly scope?: string;
    };
    if (ms === undefined) return whole;
    const start = localTime(ms, zoneOf(input, timeZone));
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
