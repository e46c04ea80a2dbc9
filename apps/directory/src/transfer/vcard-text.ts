import { decodeText } from '@postroom/formats';
import type { WrittenPhoto } from './card-photo.js';

/** Lines of a card that are looked at; a hostile one has a million. */
const linesMax = 2000;

/** A card that is no card, and why. */
export class Unreadable extends Error {}

const isQuotedPrintable = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE(?:[;:])/i;

/**
 * The lines of a card's bytes, each whole: without its folding (RFC 6350 §3.2), which may part the bytes of one
 * character, and with what a quoted-printable value goes on with after an `=` (RFC 2045 §6.7), where a space
 * at the beginning is one of the value.
 */
function wholeLines(card: Buffer): string[] {
  // One character a byte, so that nothing is decoded before its parts are together.
  const bytes = card.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  const lines: string[][] = [];
  const blank = foldOf(bytes);
  let isQuoted = false;
  let goesOn = false;
  for (const line of bytes.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const isFolded = !goesOn && lines.length > 0 && /^[ \t]/.test(line);
    if (!goesOn && !isFolded) {
      lines.push([]);
      isQuoted = isQuotedPrintable.test(line);
    }
    goesOn = isQuoted && line.endsWith('=');
    lines.at(-1)?.push(partOf(line, isFolded ? blank : 0, goesOn));
  }
  if (lines.length > linesMax) throw new Unreadable(`more than ${linesMax} lines`);
  return lines.map((parts) => parts.join(''));
}

/** Length of the fold of a card: its blank is one of the text in 2.1 (RFC 822 §3.1.1), and none in the later ones. */
const foldOf = (bytes: string): number => (/^VERSION:\s*2\.1/im.test(bytes) ? 0 : 1);

/** The part of a line that continues the one before. */
const partOf = (line: string, from: number, goesOn: boolean): string =>
  line.slice(from, goesOn ? -1 : line.length);

const unquoted = (value: string): string =>
  value.replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** Values of vCard 2.1 that have no name: of ENCODING, or else of TYPE. */
const encodings = new Set(['QUOTED-PRINTABLE', 'BASE64', '8BIT', '7BIT', 'B']);

interface Parameters {
  readonly kept: string[];
  readonly charset: string | undefined;
  readonly encoding: string;
}

function parametersOf(given: readonly string[]): Parameters {
  const kept: string[] = [];
  let charset: string | undefined;
  let encoding = '';
  for (const parameter of given) {
    const [name = '', value] = parameter.split(/=(.*)/s);
    const upper = name.toUpperCase();
    if (value === undefined) {
      if (encodings.has(upper)) encoding = upper;
      else if (/^[A-Za-z0-9-]+$/.test(name)) kept.push(`TYPE=${name}`);
    } else if (upper === 'CHARSET') charset = value.toLowerCase();
    else if (upper === 'ENCODING') encoding = value.toUpperCase();
    else kept.push(parameter);
  }
  return { kept, charset, encoding };
}

/** Properties that make a contact, or that people would miss; the rest of a card is not read. */
const readProperties = new Set([
  ...'FN N EMAIL TEL ORG TITLE ROLE CATEGORIES NOTE KIND X-ADDRESSBOOKSERVER-KIND'.split(' '),
  ...'X-ABLABEL UID ADR BDAY URL'.split(' '),
]);

/** Properties whose value has parts, which a bare semicolon separates. */
const structured = new Set(['N', 'ORG', 'ADR']);

/** Properties that are read as texts, whatever kind their parameters name. */
const readAsText = new Set(['X-ABLABEL', 'BDAY', 'URL']);

/** Without the escapes of a text that ical.js leaves as they are. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/gsu, (all, one: string) => (one === ';' || one === ':' ? one : all));

/** Stands after an escaped backslash: a noncharacter, which is in no text that is kept. */
export const afterBackslash = '\uFDD0';

/** With a mark after each escaped backslash: ical.js takes the comma or semicolon after it for escaped by it. */
const marked = (value: string): string =>
  value.replaceAll(/\\(.)/gsu, (all, one: string) => (one === '\\' ? all + afterBackslash : all));

/** A line's name, with its group, and its parameters; and its value. */
interface Parts {
  readonly names: readonly string[];
  readonly value: string;
}

/** Parameters that are read of a line: ical.js takes the square of their number. */
const parametersMax = 100;

/**
 * Parts a line in one pass, whatever is in it; null when it has no value. A colon or semicolon within quotes
 * is a part of a parameter.
 */
function partsOf(line: string): Parts | null {
  const names: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < line.length; at++) {
    const one = line[at];
    if (one === '"') isQuoted = !isQuoted;
    if (isQuoted || (one !== ';' && one !== ':')) continue;
    if (names.length <= parametersMax) names.push(line.slice(from, at));
    from = at + 1;
    if (one === ':') return { names, value: line.slice(from) };
  }
  return null;
}

/** A comma that no backslash stands before, and escapes as they are. */
const commas = /\\.|,/gsu;

/**
 * A value of vCard 2.1 as 3.0 and 4.0 write it. A comma parts nothing but categories there; a backslash is one
 * in a text, unless a semicolon follows.
 */
function modernValue(value: string, property: string): string {
  const isText = !structured.has(property);
  const text = isText ? value.replaceAll(/\\(?!;)/g, String.raw`\\`) : value;
  if (property === 'CATEGORIES') return text;
  return text.replaceAll(commas, (found) => (found === ',' ? String.raw`\,` : found));
}

/** A group and a name; a group that is no token is left out. */
const groupedName = /^(?:([A-Z0-9-]+\.)|.*\.)?([^.]*)$/s;

/** The group of vCard (`item1.EMAIL`) says which label is whose. */
function groupedNameOf(name = ''): { readonly group: string; readonly property: string } {
  const [, group = '', property = ''] = groupedName.exec(name.toUpperCase()) ?? [];
  return { group, property };
}

/** The text of a value; null for one that is no text. */
function decodedValue(value: string, { charset, encoding }: Parameters): string | null {
  if (encoding === 'BASE64' || encoding === 'B') return null;
  const raw = encoding === 'QUOTED-PRINTABLE' ? unquoted(value) : value;
  return decodeText(Buffer.from(raw, 'latin1'), charset);
}

/** A line as vCard 3.0 and 4.0 write it; null for one that is not read, or is none. */
function modernLine(line: string, version: string | undefined): string | null {
  const parts = partsOf(line);
  if (!parts) return null;
  const [name, ...parameters] = parts.names;
  const { group, property } = groupedNameOf(name);
  if (!readProperties.has(property)) return null;
  const given = parametersOf(parameters);
  const value = decodedValue(parts.value, given);
  if (value === null) return null;
  const modern = version === '2.1' ? modernValue(value, property) : value;
  // A line end in quoted-printable becomes the escape that such a card has.
  const text = modern.replaceAll(/\r\n?|\n/g, String.raw`\n`);
  const names = given.kept.map((one) => decodeText(Buffer.from(one, 'latin1')));
  const read = structured.has(property) ? text : unescaped(text);
  const typed = readAsText.has(property)
    ? [...names.filter((one) => !/^VALUE=/i.test(one)), 'VALUE=text']
    : names;
  // BDAY of 3.0 may be no text, and ical.js makes another day of a date that is none.
  const named = property === 'BDAY' ? 'X-BDAY' : property;
  return `${[group + named, ...typed].join(';')}:${marked(read)}`;
}

/** The lines of a card without those of a card within it (AGENT of vCard 2.1), which is another person. */
function outerLines(lines: readonly string[]): string[] {
  let depth = 0;
  return lines.filter((line) => {
    if (/^\s*BEGIN:VCARD\s*$/i.test(line)) depth++;
    if (/^\s*END:VCARD\s*$/i.test(line)) depth--;
    return depth <= 1;
  });
}

/** The first photo of a card. */
function photoIn(lines: readonly string[]): WrittenPhoto | null {
  const line = lines.find((one) => /^(?:[A-Z0-9-]+\.)?PHOTO[;:]/i.test(one));
  const parts = line === undefined ? null : partsOf(line);
  const value = parts?.value.trim() ?? '';
  if (!parts || value === '') return null;
  const { encoding } = parametersOf(parts.names.slice(1));
  return { value, isBase64: encoding === 'BASE64' || encoding === 'B' };
}

/** A card as its properties are read, and its photo as it is written. */
interface ReadCard {
  readonly lines: readonly string[];
  readonly photo: WrittenPhoto | null;
}

/**
 * The lines of a card that make a contact, as vCard 3.0 and 4.0 write them: unfolded, decoded, and, of
 * vCard 2.1, without its encodings and with names for its parameters. `afterBackslash` stands in values.
 *
 * @throws Unreadable
 */
export function readCard(card: Buffer): ReadCard {
  const whole = outerLines(wholeLines(card));
  const version = whole.flatMap((line) => /^VERSION:\s*(\S+)/i.exec(line)?.[1] ?? [])[0];
  const lines = whole.flatMap((line) => modernLine(line, version) ?? []);
  // A card without a version is read as the older of the two that ical.js knows.
  const named = `VERSION:${version === '4.0' ? '4.0' : '3.0'}`;
  return { lines: ['BEGIN:VCARD', named, ...lines, 'END:VCARD'], photo: photoIn(whole) };
}
