/** The most names that an answer lists, and characters of one of them (`decisions.md` §1). */
const namesMax = 20;
const charactersMax = 64;

/** Characters that are escaped: all but printable ASCII, and in that the comma, the percent sign and the blank. */
const escaped = /[^\x21-\x24\x26-\x2b\x2d-\x7e]+/gu;

const shown = (name: string): string => {
  const characters = [...name.toWellFormed()];
  const cut =
    characters.length > charactersMax
      ? `${characters.slice(0, charactersMax - 1).join('')}…`
      : characters.join('');
  return cut.replaceAll(escaped, encodeURIComponent);
};

/** The header of an answer that says which fields and parameters of its request were ignored; none for none. */
export const ignoredHeader = (names: readonly string[]): Readonly<Record<string, string>> =>
  names.length === 0 ? {} : { 'x-svc-ignored': names.slice(0, namesMax).map(shown).join(', ') };
