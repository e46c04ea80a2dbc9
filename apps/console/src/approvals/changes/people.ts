import type { Fields } from '../request/headline.js';

/** Recipients as texts: `Name <address>` or the address. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as Fields[]) : []).map(({ name, email }) =>
    typeof name === 'string' && name !== '' ? `${name} <${String(email)}>` : String(email),
  );

const named = /^(.*)<([^<>]*)>$/;

/** Recipients of such texts. */
export const peopleOf = (texts: readonly string[]): readonly Fields[] =>
  texts.map((text) => {
    const [, name = '', address = text] = named.exec(text.trim()) ?? [];
    return { name: name.trim() === '' ? null : name.trim(), email: address.trim() };
  });
