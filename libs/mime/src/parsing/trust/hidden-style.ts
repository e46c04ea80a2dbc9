const zero = String.raw`\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:px|pt|em|rem|%|vh|vw)?\s*(?:!important)?\s*(?:;|$)`;

/** Declarations that leave nothing to be seen, each enough by itself. */
const hiding = new RegExp(
  [
    String.raw`(?:^|;)\s*display\s*:\s*none`,
    String.raw`(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)`,
    String.raw`(?:^|;)\s*mso-hide\s*:\s*all`,
    `(?:^|;)\\s*(?:opacity|font-size|max-height|max-width)${zero}`,
    String.raw`(?:^|;)\s*font-size\s*:\s*(?:0?\.\d+|1)(?:px|pt)\s*(?:!important)?\s*(?:;|$)`,
    String.raw`(?:^|;)\s*(?:text-indent|left|top|margin-left|margin-top)\s*:\s*-\d{3,}`,
    String.raw`(?:^|;)\s*clip(?:-path)?\s*:\s*(?:rect\(0|inset\((?:50|100)%)`,
    String.raw`(?:^|;)\s*color\s*:\s*transparent`,
    String.raw`(?:^|;)\s*transform\s*:\s*scale\(0`,
  ].join('|'),
  'i',
);

const whites = String.raw`(?:#f{3,8}\b|white\b|rgba?\(\s*255\s*,\s*255\s*,\s*255\s*(?:,\s*[\d.]+\s*)?\))`;
const white = new RegExp(`(?:^|;)\\s*color\\s*:\\s*${whites}`, 'i');
const invisibleColour = /(?:^|;)\s*color\s*:\s*rgba\([^)]*,\s*0?(?:\.0+)?\s*\)/i;
const background = /(?:^|;)\s*background(?:-color|-image)?\s*:\s*([^;]*)/i;
const whiteBackground = new RegExp(`^\\s*${whites}`, 'i');
const styleUnitsMax = 4096;

/**
 * Whether an element hides its text from a reader. White is hidden where it stands on white, said in the
 * same element: a button's white on the colour of a table around it is not.
 */
export function hidesText(attributes: Readonly<Record<string, string>>): boolean {
  if ('hidden' in attributes) return true;
  const style = (attributes['style'] ?? '').slice(0, styleUnitsMax);
  if (style === '') return false;
  if (hiding.test(style) || invisibleColour.test(style)) return true;
  return white.test(style) && whiteBackground.test(background.exec(style)?.[1] ?? '');
}
