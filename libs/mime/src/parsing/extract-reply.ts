import { isHeadAuthor, isHeadField, isHeadSent } from './quotation-heads.js';
import type { ReplyEvidence } from './reply-evidence.js';

/** Lines are looked at up to here: a longer one is prose, and introduces nothing. */
const introUnitsMax = 500;
const introLinesMax = 4;

/** The start of the line by which a mail program introduces a quote: then come a date and the author. */
const introStart = /^(?:On|Le|Am|Il|El|Em|Op|Den|W dniu)\s/i;
// prettier-ignore
const introVerbs = [
  ' wrote', ' a écrit', ' schrieb', ' escribió', ' escreveu', ' ha scritto', ' schreef',
  ' skrev', ' napisał', ' napsal', ' kirjoitti', ' írta', ' a scris', ' yazdı', ' έγραψε', ' писал',
  ' пише', '写道', '寫道', '님이 작성',
];
/** `-----Original Message-----` and its like. */
const originalMessage =
  /^[-_*\s]{0,40}(?:original message|message d['’]origine|message original|original-?nachricht|ursprüngliche nachricht|mensaje original|messaggio originale|oorspronkelijk bericht)[-_*\s]{0,40}$/i;
/** The start of a forwarded message, which is new to its recipient. */
const forwardedMessage =
  /^[-_*\s]{0,40}(?:(?:begin )?forwarded message|(?:début du )?message transféré|message réexpédié|weitergeleitete nachricht|anfang der weitergeleiteten nachricht|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht)\s?:?[-_*\s]{0,40}$/i;
const headLines = 6;
const rule = /^[_-]{5,80}$/;
const signatureMark = /^--\s?$/;
const sentFrom =
  /^(?:sent from my |sent from (?:mail|outlook|yahoo)|get outlook for |envoyé de(?:puis)? mon |envoyé depuis |télécharge[rz] outlook|von meinem .{1,40} gesendet|gesendet (?:von|mit) |outlook für |enviado desde mi |enviado desde |obtener outlook |inviato da(?:l mio)? )/i;

/**
 * The message's own text, without quotes and signature; the whole text if it has none of these, or nothing
 * else, and of a forward, all of which is new to its recipient. Without evidence of a reply only a quote that is
 * introduced and marked is one: what else looks like it may be the words of its sender (a form, an itinerary).
 * Linear, whatever the text is.
 */
export function extractReply(text: string, evidence: ReplyEvidence): string {
  const lines = text.split('\n');
  if (evidence === 'forward' || (evidence === 'none' && !hasMarkedQuote(lines))) return text;
  const own = withoutQuotes(lines, evidence === 'reply');
  const kept = withoutSignature(own);
  if (kept.length === lines.length) return text;
  const reply = kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '');
  return reply.trim() === '' ? text : `${reply.trimEnd()}\n`;
}

function hasMarkedQuote(lines: readonly string[]): boolean {
  return lines.some((_, at) => {
    const end = endOfIntro(lines, at);
    return end !== null && isMarked(lines, end);
  });
}

/**
 * The lines that are no quote; where a quote without marks begins, all that follows is one.
 *
 * @param isReply false if only what is marked counts as a quote
 */
function withoutQuotes(lines: readonly string[], isReply: boolean): string[] {
  const own: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (isQuoted(line)) continue;
    const whole = atMark(lines, at, own, isReply);
    if (whole !== null) return whole;
    const introEnd = endOfIntro(lines, at);
    // Marked, it may be answered point by point.
    if (introEnd !== null && isMarked(lines, introEnd)) at = introEnd - 1;
    else if (introEnd !== null && isReply) return own;
    else own.push(line);
  }
  return own;
}

/** All that is the sender's own, where the mark of a message that was passed on or answered stands; else null. */
function atMark(
  lines: readonly string[],
  at: number,
  own: readonly string[],
  isReply: boolean,
): string[] | null {
  if (forwardedMessage.test(seen(lines[at]))) return [...own, ...lines.slice(at)];
  return isReply && beginsOriginal(lines, at) ? withoutRule(own) : null;
}

const isMarked = (lines: readonly string[], introEnd: number): boolean =>
  isQuoted(nextFilled(lines, introEnd));

const isQuoted = (line: string): boolean => /^\s{0,3}>/.test(line);

function beginsOriginal(lines: readonly string[], at: number): boolean {
  const line = seen(lines[at]);
  if (originalMessage.test(line)) return true;
  if (!isHeadAuthor(line)) return false;
  const below = lines.slice(at + 1, at + headLines).map((one) => seen(one));
  const fields = below.filter((one) => isHeadField(one));
  return fields.length >= 2 && (line.includes('@') || fields.some((one) => isHeadSent(one)));
}

/** The introduction of a quote. */
interface Intro {
  /** The line after it. */
  readonly end: number;
  /** True if it starts with a date, as most do; others are recognised by the quote that follows. */
  readonly isDated: boolean;
}

/** The line after the introduction that begins here; null when none does, or only below. */
function endOfIntro(lines: readonly string[], at: number): number | null {
  const intro = introFrom(lines, at);
  if (!intro) return null;
  // The sender's own text right above an introduction is no part of it.
  for (let below = at + 1; below < intro.end; below++) {
    const inner = introFrom(lines, below);
    if (inner?.isDated) return null;
    if (inner && !intro.isDated && !goesOn.test(seen(lines[below]))) return null;
  }
  return intro.end;
}

/** The start of a wrapped line: an address, or the middle of a sentence. */
const goesOn = /^[<([\p{Ll}]/u;

function introFrom(lines: readonly string[], at: number): Intro | null {
  const isDated = introStart.test(seen(lines[at]));
  const sentence = sentenceFrom(lines, at, isDated ? introLinesMax : 2);
  if (!sentence) return null;
  const { text, end } = sentence;
  const hasVerb = introVerbs.some((one) => text.includes(one));
  if (isDated && hasVerb && yearOrTime.test(text)) return { end, isDated };
  // In any language: a person's address, and then a quote.
  const isKnown = (hasVerb || text.includes('@')) && isQuoted(nextFilled(lines, end));
  return isKnown ? { end, isDated: false } : null;
}

/** The lines from here to one that ends with a colon, as one. */
function sentenceFrom(lines: readonly string[], at: number, linesMax: number) {
  let text = '';
  for (let end = at; end < at + linesMax; end++) {
    const line = seen(lines[end]);
    if (line === '' || /[.!?]$/.test(line)) return null;
    text = `${text} ${line}`;
    if (text.length > introUnitsMax) return null;
    if (text.endsWith(':')) return { text, end: end + 1 };
  }
  return null;
}

/** A mail program's date has a year or a time: `On 12 March your colleague wrote:` is the sender's own. */
const yearOrTime = /\b(?:19|20)\d\d\b|\d[:.h]\d\d/;

/** A line as its reader sees it, blanks of all kinds as one; empty when it is too long to matter. */
const seen = (line: string | undefined = ''): string =>
  line.length > introUnitsMax ? '' : line.replace(/[\s\u00a0\u202f]+/g, ' ').trim();

/** The next line that is not empty, within reach. */
const nextFilled = (lines: readonly string[], from: number): string =>
  lines.slice(from, from + 4).find((line) => line.trim() !== '') ?? '';

/** Outlook draws a line above the head. */
function withoutRule(own: readonly string[]): string[] {
  const last = own.findLastIndex((line) => line.trim() !== '');
  return rule.test((own[last] ?? '').trim()) ? own.slice(0, last) : [...own];
}

/** RFC 3676 §4.3: the text below the mark; and the lines that telephones add. */
function withoutSignature(own: readonly string[]): readonly string[] {
  const mark = own.findLastIndex((line) => signatureMark.test(line));
  const above = mark > 0 ? own.slice(0, mark) : own;
  const last = above.findLastIndex((line) => line.trim() !== '');
  return sentFrom.test(seen(above[last])) ? above.slice(0, last) : above;
}
