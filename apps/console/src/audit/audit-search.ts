/** Filters of the audit, in the address; days are those of the browser's zone. */
export interface AuditSearch {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
}

const lengths = { actor: 64, action: 100, subject: 64 } as const;

/** The filters that are of use; any others are left out. */
export function auditSearchOf(given: Readonly<Record<string, unknown>>): AuditSearch {
  const found: Record<string, string> = {};
  for (const [name, max] of Object.entries(lengths)) {
    const value = given[name];
    if (typeof value === 'string' && value.trim() !== '') found[name] = value.trim().slice(0, max);
  }
  for (const name of ['from', 'to']) {
    const value = given[name];
    if (typeof value === 'string' && isDay(value)) found[name] = value;
  }
  return found;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
