/** The filters of the contacts, in the address. */
export interface ContactSearch {
  readonly book?: string;
  readonly group?: string;
  readonly q?: string;
  /** Likely duplicates instead of the list. */
  readonly show?: 'duplicates' | 'books';
}

export function contactSearchOf(given: Readonly<Record<string, unknown>>): ContactSearch {
  const text = (name: string): string | undefined =>
    typeof given[name] === 'string' || typeof given[name] === 'number'
      ? String(given[name]).slice(0, 500) || undefined
      : undefined;
  const found = {
    ...{ book: text('book'), group: text('group'), q: text('q') },
    show: (['duplicates', 'books'] as const).find((one) => one === given.show),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
