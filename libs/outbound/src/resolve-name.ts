import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Asks for the addresses of a name; none where it has none. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** There was no answer about the name. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';

  constructor(
    /** Whether a name server said that there is no such name. */
    readonly isUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(isUnknown ? 'there is no such name' : 'the name could not be resolved', options);
  }
}

const unknown = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Resolves by DNS alone, within 3 s. Not by `dns.lookup`: it takes a thread of the pool that files and
 * passwords need as well, and answers from the machine's own list of hosts.
 * @param servers name servers, `address` or `address:port`; the system's when none are given
 */
export function resolveByDns(servers: readonly string[] = []): ResolveName {
  const resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 1_500 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (name) => {
    const asked = [resolver.resolve4(name), resolver.resolve6(name)] as const;
    const answers = await Promise.allSettled(asked);
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    );
    if (found.length > 0) return found;
    const failures = answers.flatMap((one): unknown[] =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    const isUnknown = failures.every((failure) => unknown.has(String(codeOf(failure))));
    throw new NameUnresolved(isUnknown, { cause: failures[0] });
  };
}
