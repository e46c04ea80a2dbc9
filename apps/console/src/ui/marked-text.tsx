import type { ReactElement } from 'react';
import style from './marked-text.module.css';

/**
 * Characters that a reader does not see, or that turn the direction of a text: controls, format characters, fillers,
 * private and unassigned ones, lone surrogates, separators of lines. An emoji with its joiners is first, since those
 * are seen as one picture.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- controls are what it finds
  /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*|\r\n|[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u2800\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

const isSeen = (found: string): boolean =>
  found === '\r\n' || /^\p{Extended_Pictographic}/u.test(found);

/** A part of a text: as it reads, or a run of one hidden character. */
type TextPart =
  | { readonly text: string }
  | { readonly code: string; readonly name: string; readonly times: number };

/** Names of those that deceive most often. */
const names: Readonly<Record<number, string>> = {
  0x00ad: 'soft hyphen',
  0x034f: 'combining grapheme joiner',
  0x061c: 'Arabic letter mark',
  0x115f: 'Hangul filler',
  0x1160: 'Hangul filler',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of a change of direction',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'end of an isolate',
  0x2800: 'blank Braille pattern',
  0x3164: 'Hangul filler',
  0xfeff: 'zero-width no-break space',
  0xffa0: 'Hangul filler',
};

function nameOf(point: number): string {
  if (point >= 0xe0020 && point <= 0xe007e)
    return `hidden “${String.fromCodePoint(point - 0xe0000)}”`;
  return names[point] ?? (point < 0xa0 ? 'control character' : 'invisible character');
}

/** Parts a text at its hidden characters; a run of the same one is one part. */
function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(hidden)) {
    const [found] = match;
    if (isSeen(found)) continue;
    if (match.index > at) parts.push({ text: text.slice(at, match.index) });
    at = match.index + found.length;
    const point = found.codePointAt(0) ?? 0;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    const last = parts.at(-1);
    if (last && 'code' in last && last.code === code)
      parts[parts.length - 1] = { ...last, times: last.times + 1 };
    else parts.push({ code, name: nameOf(point), times: 1 });
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** Hidden characters in all texts of a JSON value. */
export function countHidden(value: unknown): number {
  if (typeof value === 'string')
    return textParts(value).reduce((sum, part) => sum + ('code' in part ? part.times : 0), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countHidden(one), 0);
}

/** A text that a stranger or an agent has written, its hidden characters marked with their code points. */
export const MarkedText = ({ text }: { text: string }): ReactElement => (
  <bdi>
    {textParts(text).map((part, at) =>
      'text' in part ? (
        <span key={at}>{part.text}</span>
      ) : (
        <mark key={at} className={style.mark} title={part.name}>
          {part.code}
          {part.times > 1 && ` × ${part.times}`}
        </mark>
      ),
    )}
  </bdi>
);
