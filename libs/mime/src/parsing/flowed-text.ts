/**
 * A text in format=flowed (RFC 3676) with its soft line breaks undone. Quote depth is counted and taken off
 * before lines are joined, and lines of another depth are never joined (§4.5). An empty line is fixed and ends
 * a paragraph (§4.2), and the signature mark keeps its line (§4.3). Linear.
 *
 * @param delSp whether the blank before a soft line break goes too
 */
export function unflowed(text: string, delSp: boolean): string {
  const paragraphs: { readonly depth: number; readonly parts: string[] }[] = [];
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    const { depth, content } = lineOf(line);
    const isFlowed = content.endsWith(' ') && content !== signatureMark;
    const part = isFlowed && delSp ? content.slice(0, -1) : content;
    const last = isOpen && content !== '' && content !== signatureMark ? paragraphs.at(-1) : null;
    if (last?.depth === depth) last.parts.push(part);
    else paragraphs.push({ depth, parts: [part] });
    isOpen = isFlowed;
  }
  return paragraphs.map(({ depth, parts }) => quoted(depth, parts.join(''))).join('\n');
}

const signatureMark = '-- ';

/** A line without its quote marks and the blank that was stuffed into it (§4.4). */
function lineOf(line: string): { readonly depth: number; readonly content: string } {
  let depth = 0;
  while (line[depth] === '>') depth++;
  const stuffed = line[depth] === ' ' ? 1 : 0;
  return { depth, content: line.slice(depth + stuffed) };
}

const quoted = (depth: number, content: string): string =>
  depth === 0 ? content : `${'>'.repeat(depth)}${content === '' ? '' : ' '}${content}`;
