import { headerValue, type HeaderFields } from './header-lines.js';
import type { Priority } from './parsed-message.js';

const automaticPrecedence = new Set(['auto_reply', 'bulk', 'junk']);
/** Set by Exchange, cPanel, Mailman and others before or beside RFC 3834. */
const automaticHeaders = ['x-autoreply', 'x-autorespond', 'x-auto-reply-from', 'x-autoresponse'];
const reportOfDelivery = /^multipart\/report\b[^]*\breport-type="?(?:delivery-status|disposition)/i;

/** Whether a machine sent it (RFC 3834 §5 and older habits). A list's human posts do not count. */
export function isAutomatic(headers: HeaderFields): boolean {
  const submitted = firstWord(headerValue(headers, 'auto-submitted'));
  if (submitted !== '' && submitted !== 'no') return true;
  if (automaticPrecedence.has(firstWord(headerValue(headers, 'precedence')))) return true;
  if (automaticHeaders.some((key) => firstWord(headerValue(headers, key)) !== '')) return true;
  return reportOfDelivery.test(headerValue(headers, 'content-type').slice(0, 1000));
}

/** X-Priority (1 to 5), else Importance, else the older names for it (RFC 2156 §5.3). */
export function priorityOf(headers: HeaderFields): Priority | null {
  const words = ['x-priority', 'importance', 'priority', 'x-msmail-priority'].map((key) =>
    firstWord(headerValue(headers, key)),
  );
  for (const word of words) {
    if (/^(?:[12]|high|urgent)$/.test(word)) return 'high';
    if (/^(?:[45]|low|non-urgent)$/.test(word)) return 'low';
    if (/^(?:3|normal)$/.test(word)) return 'normal';
  }
  return null;
}

function firstWord(value: string): string {
  return /^[\w-]+/.exec(value.slice(0, 100).trim().toLowerCase())?.[0] ?? '';
}
