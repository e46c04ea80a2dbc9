const end = String.raw`(?:!important)?(?:;|$)`;
const zero = String.raw`:(?:0+(?:\.0*)?|\.0+)(?:px|pt|em|rem|%|vh|vw)?${end}`;

/** Declarations that leave nothing to be seen, each enough by itself. */
const hiding = new RegExp(
  `(?:^|;)(?:${[
    'display:none',
    'visibility:(?:hidden|collapse)',
    'mso-hide:all',
    `(?:opacity|max-height|max-width)${zero}`,
    String.raw`opacity:0?\.0\d*${end}`,
    String.raw`(?:text-indent|left|top):-\d{3,}`,
    // Less is how boxes are put into the middle.
    String.raw`(?:margin-left|margin-top):-(?:\d{4}|999)`,
    String.raw`clip(?:-path)?:(?:rect\(0|inset\((?:50|100)%)`,
    'color:transparent',
    String.raw`transform:scale\(0*(?:\.0*)?[,)]`,
  ].join('|')})`,
  'i',
);

/** A box without room hides what it cuts off. */
const noRoom = new RegExp(`(?:^|;)(?:height|width)${zero}`, 'i');
const cutsOff = /(?:^|;)overflow(?:-[xy])?:(?:hidden|clip)/i;

const tiny = new RegExp(
  `(?:^|;)font-size(?:${zero}|${String.raw`:(?:0?\.\d+|1)(?:px|pt)${end}`})`,
  'i',
);
const relative = String.raw`(?:inherit|unset|smaller|larger|[\d.]+(?:em|ex|ch|%))`;
const sized = new RegExp(`(?:^|;)font(?:-size)?:(?!${relative})`, 'i');

const whites = String.raw`(?:#f{3,8}\b|white\b|rgba?\(255,255,255(?:,[\d.]+)?\))`;
const white = new RegExp(`(?:^|;)color:${whites}`, 'i');
const invisibleColour = /(?:^|;)color:rgba\([^);]*,0?(?:\.0+)?\)/i;
const background = /(?:^|;)background(?:-color|-image)?:([^;]*)/i;
const whiteBackground = new RegExp(`^${whites}`, 'i');
const styleUnitsMax = 4096;

/**
 * The effect of an element on the texts inside: it hides everything; its own texts are too small, until an
 * element inside has a size (layouts of newsletters); it has a size; or none.
 */
export type Showing = 'hidden' | 'tiny' | 'sized' | 'unchanged';

/**
 * Judges how an element shows its texts to a reader. White is hidden on white of the same element: a button's white on the colour of a table around it is not.
 */
export function showingOf(attributes: Readonly<Record<string, string>>): Showing {
  if ('hidden' in attributes) return 'hidden';
  const style = condensed((attributes['style'] ?? '').slice(0, styleUnitsMax));
  if (style === '') return 'size' in attributes ? 'sized' : 'unchanged';
  if (hidesAll(style)) return 'hidden';
  if (tiny.test(style)) return 'tiny';
  return sized.test(style) ? 'sized' : 'unchanged';
}

const hidesAll = (style: string): boolean =>
  hiding.test(style) ||
  invisibleColour.test(style) ||
  (noRoom.test(style) && cutsOff.test(style)) ||
  (white.test(style) && whiteBackground.test(background.exec(style)?.[1] ?? ''));

/**
 * A style without comments, with its letters that are written as numbers, and without the blanks around its
 * marks. Patterns that allowed for blanks would take time that grows with the square of their number.
 */
const condensed = (style: string): string =>
  style
    .replace(/\/\*.*?(?:\*\/|$)/gs, '')
    .replace(/\\(?:([\da-f]{1,6})\s?|([a-z]))/gi, (_, digits?: string, letter = '') =>
      digits === undefined ? String(letter) : letterOf(Number.parseInt(digits, 16)),
    )
    .replace(/\s+/g, ' ')
    .replace(/ ?([:;,()!]) ?/g, '$1')
    .trim();

/** CSS Syntax §4.3.7; a mark that is written so separates nothing. */
function letterOf(codePoint: number): string {
  const character = codePoint <= 0x7e ? String.fromCodePoint(codePoint) : '';
  return /[\w-]/.test(character) ? character : '_';
}
