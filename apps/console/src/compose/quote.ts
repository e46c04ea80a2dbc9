import type { Message } from '@postroom/contracts';
import { escaped, paragraphsOf } from './content.js';
import { wholeTime } from '../ui/time.js';

/** Longer mail is quoted by its text alone: a body may have 1,048,576 characters. */
const htmlMax = 400_000;

/** A message as the quotation below an answer, or as what is forwarded. */
export function quoteOf(message: Message, kind: 'reply' | 'replyAll' | 'forward'): string {
  const from = nameOf(message.from);
  const at = wholeTime(new Date(message.sentAt ?? message.receivedAt));
  if (kind !== 'forward')
    return `<p>${escaped(`${from} wrote on ${at}:`)}</p><blockquote>${htmlOf(message)}</blockquote>`;
  const lines = [
    'Forwarded message',
    `From: ${from}`,
    `Date: ${at}`,
    `Subject: ${message.subject}`,
    `To: ${message.to.map(nameOf).join(', ')}`,
  ];
  return `<p>${lines.map(escaped).join('<br>')}</p>${htmlOf(message)}`;
}

const nameOf = (person: { email: string | null; name: string | null } | null): string => {
  if (!person) return 'unknown sender';
  const { name, email } = person;
  return name && email ? `${name} <${email}>` : (name ?? email ?? 'unknown sender');
};

/** The server has sanitised it; images elsewhere are named again, those inside the message are left out. */
function htmlOf({ html, text }: Message): string {
  if (html === null || html.length > htmlMax) return paragraphsOf((text ?? '').slice(0, htmlMax));
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const image of body.querySelectorAll('img')) {
    const { remoteSrc } = image.dataset;
    if (remoteSrc === undefined) image.remove();
    else {
      image.setAttribute('src', remoteSrc);
      delete image.dataset.remoteSrc;
    }
  }
  return body.innerHTML;
}

/** The words of a quotation, for a look at it. */
export const textOfQuote = (quote: string): string =>
  new DOMParser()
    .parseFromString(quote.replace(/<(br|\/p|\/div|\/li|\/tr)[^<>]*>/gi, '\n$&'), 'text/html')
    .body.textContent.replace(/\n{3,}/g, '\n\n')
    .trim();
