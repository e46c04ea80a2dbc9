/** The filters of the queue, as the address has them. */
export interface QueueSearch {
  readonly state?: 'closed';
  readonly key?: string;
  readonly mailbox?: string;
  readonly operation?: string;
}

const names = ['key', 'mailbox', 'operation'] as const;

/** Keeps what is a filter; whatever else an address says is left out. */
export function queueSearch(given: object): QueueSearch {
  const texts = names.flatMap((name) => {
    const value: unknown = Reflect.get(given, name);
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    ...(Reflect.get(given, 'state') === 'closed' && { state: 'closed' as const }),
    ...Object.fromEntries(texts),
  };
}
