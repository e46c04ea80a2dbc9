import type { Message } from '@postroom/contracts';
import { htmlOf, parsed } from '../mail-frame/parsed.js';
import { escaped, paragraphsOf } from './content.js';
import { wholeTime } from '../ui/time.js';

/** Longer mail is quoted by its text alone: a body may have 1,048,576 characters. */
const htmlMax = 400_000;

/** A message as the quotation below an answer, or as what is forwarded. */
export function quoteOf(message: Message, kind: 'reply' | 'replyAll' | 'forward'): string {
  const from = nameOf(message.from);
  const at = wholeTime(new Date(message.sentAt ?? message.receivedAt));
  if (kind !== 'forward')
    return `<p>${escaped(`${from} wrote on ${at}:`)}</p><blockquote>${quotedHtml(message)}</blockquote>`;
  const lines = [
    'Forwarded message',
    `From: ${from}`,
    `Date: ${at}`,
    `Subject: ${message.subject}`,
    `To: ${message.to.map(nameOf).join(', ')}`,
  ];
  return `<p>${lines.map(escaped).join('<br>')}</p>${quotedHtml(message)}`;
}

const nameOf = (person: { email: string | null; name: string | null } | null): string => {
  if (!person) return 'unknown sender';
  const { name, email } = person;
  return name && email ? `${name} <${email}>` : (name ?? email ?? 'unknown sender');
};

/** The server has sanitised it; images elsewhere are named again, those inside the message are left out. */
function quotedHtml({ html, text }: Message): string {
  if (html === null || html.length > htmlMax) return paragraphsOf((text ?? '').slice(0, htmlMax));
  const { body } = parsed(html);
  for (const image of body.querySelectorAll('img')) {
    const { remoteSrc } = image.dataset;
    if (remoteSrc === undefined) image.remove();
    else {
      image.setAttribute('src', remoteSrc);
      delete image.dataset.remoteSrc;
    }
  }
  return htmlOf(body);
}

/** The words of a quotation, for a look at it. */
export const textOfQuote = (quote: string): string =>
  parsed(quote.replace(/<(br|\/p|\/div|\/li|\/tr)[^<>]*>/gi, '\n$&'))
    .body.textContent.replace(/\n{3,}/g, '\n\n')
    .trim();
