/** The filters of the queue, as the address has them. */
export interface QueueSearch {
  readonly state?: 'closed';
  readonly key?: string;
  readonly mailbox?: string;
  readonly operation?: string;
}

const names = ['key', 'mailbox', 'operation'] as const;

/** Keeps what is a filter; whatever else an address says is left out. */
export function queueSearch(given: Record<string, unknown>): QueueSearch {
  const texts = names.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    ...(given.state === 'closed' && { state: 'closed' as const }),
    ...Object.fromEntries(texts),
  };
}
