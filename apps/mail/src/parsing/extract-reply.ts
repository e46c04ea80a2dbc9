/** Lines are looked at up to here: a longer one is prose, and introduces nothing. */
const introUnitsMax = 500;
const introLinesMax = 4;

/** How a mail program begins the line that introduces what it quotes: a date comes, then who wrote. */
const introStart = /^(?:On|Le|Am|Il|El|Em|Op|Den|W dniu)\s/i;
const introVerbs = [
  ...[' wrote', ' a écrit', ' schrieb', ' escribió', ' escreveu', ' ha scritto', ' schreef'],
  ...[' skrev', ' napisał'],
];
/** `-----Original Message-----` and its like. */
const originalMessage =
  /^[-_*\s]{0,40}(?:original message|message d['’]origine|message original|original-?nachricht|ursprüngliche nachricht|mensaje original|messaggio originale|oorspronkelijk bericht)[-_*\s]{0,40}$/i;
/** What begins a forwarded message: new to whoever it was forwarded to. */
const forwardedMessage =
  /^[-_*\s]{0,40}(?:(?:begin )?forwarded message|(?:début du )?message transféré|message réexpédié|weitergeleitete nachricht|anfang der weitergeleiteten nachricht|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht)\s?:?[-_*\s]{0,40}$/i;
/** The head that Outlook puts above what it quotes, in bold or plain. */
const headAuthor = /^\*?(?:from|de|von|da|van)\s?:\*?\s?\S/i;
const headField =
  /^\*?(?:sent|date|to|cc|subject|envoyé|à|objet|gesendet|datum|an|betreff|enviado(?: el)?|fecha|para|asunto|inviato|data|a|oggetto|verzonden|aan|onderwerp)\s?:/i;
const headLines = 6;
const rule = /^[_-]{5,80}$/;
const signatureMark = /^--\s?$/;
const sentFrom =
  /^(?:sent from my |sent from (?:mail|outlook|yahoo)|get outlook for |envoyé de(?:puis)? mon |envoyé depuis |télécharge[rz] outlook|von meinem .{1,40} gesendet|gesendet (?:von|mit) |outlook für |enviado desde mi |enviado desde |obtener outlook |inviato da(?:l mio)? )/i;

/**
 * What a message says itself: its text without what it quotes and without its signature; the whole
 * text where nothing of that is found, or nothing else. Linear, whatever the text is.
 */
export function extractReply(text: string): string {
  const lines = text.split('\n');
  const own = withoutQuotes(lines);
  const kept = withoutSignature(own);
  if (kept.length === lines.length) return text;
  const reply = kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '');
  return reply.trim() === '' ? text : `${reply.trimEnd()}\n`;
}

/** The lines that are no quote; where a quote without marks begins, all that follows is one. */
function withoutQuotes(lines: readonly string[]): string[] {
  const own: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (isQuoted(line)) continue;
    if (forwardedMessage.test(seen(line))) return [...own, ...lines.slice(at)];
    if (beginsOriginal(lines, at)) return withoutRule(own);
    const introEnd = endOfIntro(lines, at);
    if (introEnd === null) {
      own.push(line);
      continue;
    }
    // Marked, it may be answered point by point.
    if (!isQuoted(nextFilled(lines, introEnd))) return own;
    at = introEnd - 1;
  }
  return own;
}

const isQuoted = (line: string): boolean => /^\s{0,3}>/.test(line);

function beginsOriginal(lines: readonly string[], at: number): boolean {
  const line = seen(lines[at]);
  if (originalMessage.test(line)) return true;
  if (!headAuthor.test(line)) return false;
  const below = lines.slice(at + 1, at + headLines);
  return below.filter((one) => headField.test(seen(one))).length >= 2;
}

/** The line after the introduction that begins here; null when none does. */
function endOfIntro(lines: readonly string[], at: number): number | null {
  const isDated = introStart.test(seen(lines[at]));
  let intro = '';
  for (let end = at; end < at + (isDated ? introLinesMax : 2); end++) {
    const line = seen(lines[end]);
    if (line === '' || intro.length + line.length > introUnitsMax) return null;
    intro = `${intro} ${line}`;
    if (intro.endsWith(':')) {
      const after = nextFilled(lines, end + 1);
      return introduces(intro, { isDated, after }) ? end + 1 : null;
    }
  }
  return null;
}

/** Whether a sentence that ends with a colon introduces a quote. */
function introduces(intro: string, { isDated, after }: { isDated: boolean; after: string }) {
  const hasVerb = introVerbs.some((one) => intro.includes(one));
  if (isDated && hasVerb && /\d/.test(intro)) return true;
  // Whatever the language: somebody's address, and then a quote.
  return (hasVerb || intro.includes('@')) && isQuoted(after);
}

/** A line as its reader sees it, blanks of all kinds as one; empty when it is too long to matter. */
const seen = (line = ''): string =>
  line.length > introUnitsMax ? '' : line.replace(/[\s\u00a0\u202f]+/g, ' ').trim();

/** The next line that is not empty, within reach. */
const nextFilled = (lines: readonly string[], from: number): string =>
  lines.slice(from, from + 4).find((line) => line.trim() !== '') ?? '';

/** Outlook draws a line above the head. */
function withoutRule(own: readonly string[]): string[] {
  const last = own.findLastIndex((line) => line.trim() !== '');
  return rule.test((own[last] ?? '').trim()) ? own.slice(0, last) : [...own];
}

/** RFC 3676 §4.3: what stands below the mark; and what telephones add. */
function withoutSignature(own: readonly string[]): readonly string[] {
  const mark = own.findLastIndex((line) => signatureMark.test(line));
  const above = mark > 0 ? own.slice(0, mark) : own;
  const last = above.findLastIndex((line) => line.trim() !== '');
  return sentFrom.test(seen(above[last])) ? above.slice(0, last) : above;
}
