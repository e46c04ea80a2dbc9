import type { Operation } from '@postroom/contracts';

/** Controls and format characters, among them those that turn the direction of a text. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]+/gu;

const titleMax = 120;

/** What an operation does, in a few words of its own. */
export const plainSummary = ({ summary }: Operation): string => summary.split(/[:;,]/, 1)[0] ?? '';

/** What a write would do and to what, in plain English. */
export function summaryOf(operation: Operation, title: string | null, payload: object): string {
  const mailbox: unknown = Reflect.get(payload, 'mailbox');
  const name = shortened(title ?? '');
  return [
    plainSummary(operation),
    ...(name === '' ? [] : [`“${name}”`]),
    ...(typeof mailbox === 'string' ? [`in ${mailbox}`] : []),
  ].join(' ');
}

function shortened(title: string): string {
  const characters = [...title.replaceAll(unprintable, ' ').trim()];
  return characters.length > titleMax
    ? `${characters.slice(0, titleMax).join('')}…`
    : characters.join('');
}
