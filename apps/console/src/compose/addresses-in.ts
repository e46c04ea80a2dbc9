import { addressOf, type Address } from './content.js';

/** A rough check for the page; the server decides. */
const form = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}$/u;

/** The addresses of a text, as `Claire <c@x.test>, d@x.test`; null where one of them is none. */
export function addressesIn(text: string): Address[] | null {
  const found = partsOf(text.slice(0, 100_000)).map(addressIn);
  return found.length === 0 || found.includes(null) ? null : (found as Address[]);
}

/** The parts between commas, semicolons and line ends, but not between those of a quoted name. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && ',;\n'.includes(character)) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '');
}

function addressIn(part: string): Address | null {
  const at = part.lastIndexOf('<');
  const isNamed = at >= 0 && part.endsWith('>');
  const email = isNamed ? part.slice(at + 1, -1).trim() : part;
  if (!form.test(email)) return null;
  const name = isNamed ? part.slice(0, at).trim().replaceAll('"', '') : '';
  return addressOf({ email, name: name === '' ? null : name });
}
