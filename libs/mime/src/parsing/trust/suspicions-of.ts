import type { Address, Author, Suspicion } from '../parsed-message.js';
import { contradictsAddress, domainOf, isLookalike, isMisleading } from './misleading-addresses.js';
import { areInstructions } from './instructions.js';
import { scanHtml, type ScannedHtml } from './scan-html.js';

/** The parts of a message that are judged. */
export interface Judged {
  readonly from: Author | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly subject: string;
  readonly text: string | null;
  /** As received, before sanitising. */
  readonly html: string | null;
  readonly filenames: readonly (string | null)[];
}

const recipientsMax = 20;
const filesMax = 50;
/** A preview line for lists of messages, hidden at the start of most newsletters. */
const previewLineMax = 300;
/** Characters that write hidden text (Unicode tags), or turn it around. */
const writesHidden = /[\u{e0020}-\u{e007e}\u202d\u202e]/u;

const nothing: ScannedHtml = { visible: '', hidden: [], aside: '', links: [] };

/** The reasons to suspect a message. They inform, and filter nothing; the time is linear in the message. */
export function suspicionsOf(message: Judged): Suspicion[] {
  const { from, html, text, subject, filenames } = message;
  const email = from?.email ?? null;
  const scanned = html === null ? nothing : scanHtml(html);
  const hidden = scanned.hidden.map((piece) => piece.text).join(' ');
  const words = [subject, text ?? '', scanned.visible, hidden, scanned.aside];
  const names = filenames.slice(0, filesMax).map((name) => name ?? '');
  const found: Record<Suspicion, boolean> = {
    sender_name: email !== null && contradictsAddress({ email, name: from?.name ?? null }),
    lookalike_domain: email !== null && isLookalike(domainOf(email), domainsOf(message)),
    hidden_text: hidesSomething(scanned) || words.some((one) => writesHidden.test(one)),
    instructions: [...words, ...names].some(areInstructions),
    misleading_link: scanned.links.some(isMisleading),
  };
  return (Object.keys(found) as Suspicion[]).filter((one) => found[one]);
}

const domainsOf = ({ to, cc }: Judged): readonly string[] =>
  [...to, ...cc].slice(0, recipientsMax).map(({ email }) => domainOf(email));

/** True if more is hidden than the preview line at the start. */
function hidesSomething({ hidden }: ScannedHtml): boolean {
  return hidden.some(({ text, after }) => {
    const letters = text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
    return letters.length > 3 && (after > 0 || letters.length > previewLineMax);
  });
}
