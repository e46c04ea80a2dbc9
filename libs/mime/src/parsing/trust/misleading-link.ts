import { siteOf } from './domains.js';
import type { SeenLink } from './scan-html.js';

/** A text that is nothing but an address: of a page, or of a host. */
const address = /^(?:https?:\/\/)?((?:[\p{L}\d-]{1,63}\.)+\p{L}{2,24})(?:[/:?#]\S*)?$/iu;

/** Whether a link says one host and leads to another one. */
export function isMisleading({ href, text }: SeenLink): boolean {
  const named = address.exec(text.trim())?.[1];
  if (named === undefined || looksLikeFile(named)) return false;
  const target = URL.parse(href.trim());
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') return false;
  const host = URL.parse(`http://${named}`)?.hostname;
  return host !== undefined && siteOf(host) !== siteOf(target.hostname);
}

/** `report.pdf` is a file’s name, though it could be a host’s. */
const looksLikeFile = (name: string): boolean =>
  /^[^.]+\.(?:pdf|docx?|xlsx?|pptx?|zip|txt|csv|png|jpe?g|gif|html?|md|js|ts|py|json|xml)$/i.test(
    name,
  );
