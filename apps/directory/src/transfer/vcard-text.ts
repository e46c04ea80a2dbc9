/** Lines of a card that are looked at; a hostile one has a million. */
const linesMax = 2000;

/** A card that is no card, and why. */
export class Unreadable extends Error {}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** Decodes bytes by the name of their charset; windows-1252 where they are not what they should be. */
export function decodeText(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    const known = decoders.get(charset) ?? new TextDecoder(charset, { fatal: true });
    decoders.set(charset, known);
    return known.decode(bytes);
  } catch {
    // Not a charset that is known, or not of it.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Undoes the folding of a card's bytes (RFC 6350 §3.2), which may part the bytes of one character. */
function unfoldedLines(card: Buffer): string[] {
  // One character a byte, so that nothing is decoded before its parts are together.
  const bytes = card.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  const lines = bytes
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]/g, '')
    .split('\n');
  if (lines.length > linesMax) throw new Unreadable(`more than ${linesMax} lines`);
  return lines;
}

const isQuotedPrintable = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE(?:[;:])/i;

/** Joins the lines of quoted-printable values, which end with `=` where they go on (RFC 2045 §6.7). */
function joinedLines(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last?.endsWith('=') && isQuotedPrintable.test(last)) {
      joined[joined.length - 1] = last.slice(0, -1) + line;
    } else joined.push(line);
  }
  return joined;
}

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

/** Properties that make a contact; the rest of a card, its photo first of all, is not read. */
const readProperties = new Set([
  ...[
    'VERSION',
    'FN',
    'N',
    'EMAIL',
    'TEL',
    'ORG',
    'TITLE',
    'ROLE',
    'CATEGORIES',
    'NOTE',
    'NICKNAME',
  ],
]);

/** Properties whose value has parts, which a bare semicolon separates. */
const structured = new Set(['N', 'ORG']);

/** Without the escapes of a text that ical.js leaves as they are. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/gsu, (all, one: string) => (one === ';' || one === ':' ? one : all));

/** A line as vCard 3.0 and 4.0 write it; null for one that is not read, or is none. */
function modernLine(line: string): string | null {
  const colon = colonOf(line);
  if (colon < 0) return null;
  const [name = '', ...parameters] = line.slice(0, colon).split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  // A group of vCard (`item1.EMAIL`) says nothing that is kept.
  const property = name.slice(name.lastIndexOf('.') + 1).toUpperCase();
  if (!readProperties.has(property)) return null;
  const { kept, charset, encoding } = parametersOf(parameters);
  if (encoding === 'BASE64' || encoding === 'B') return null;
  const raw = line.slice(colon + 1);
  const isQuoted = encoding === 'QUOTED-PRINTABLE';
  const value = decodeText(Buffer.from(isQuoted ? unquoted(raw) : raw, 'latin1'), charset);
  // What was a line end in quoted-printable is written as such a card writes it.
  const text = isQuoted ? value.replaceAll(/\r\n?|\n/g, String.raw`\n`) : value;
  const names = kept.map((one) => decodeText(Buffer.from(one, 'latin1')));
  const read = structured.has(property) ? text : unescaped(text);
  return `${[property, ...names].join(';')}:${read}`;
}

/** Where the value of a line begins: a colon within quotes is a part of a parameter. */
function colonOf(line: string): number {
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ':' && !isQuoted) return at;
  }
  return -1;
}

/**
 * The lines of a card that make a contact, as vCard 3.0 and 4.0 write them: unfolded, decoded, and, of
 * vCard 2.1, without its encodings and with names for its parameters.
 *
 * @throws Unreadable
 */
export function cardLines(card: Buffer): string[] {
  const lines = joinedLines(unfoldedLines(card)).flatMap((line) => modernLine(line) ?? []);
  const version = /^VERSION:\s*(\S+)/i.exec(lines.find((one) => /^VERSION/i.test(one)) ?? '')?.[1];
  const rest = lines.filter((line) => !/^VERSION/i.test(line));
  // What says no version is read as the oldest of the two that ical.js knows.
  return ['BEGIN:VCARD', `VERSION:${version === '4.0' ? '4.0' : '3.0'}`, ...rest, 'END:VCARD'];
}
