import { Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { withTimeout } from '@postroom/concurrency';
import { domainName, domainOwners, domains, isSandbox, newId, Problem } from '@postroom/contracts';
import { handlers, requireVersion } from '@postroom/operations';
import { MailConfig } from '../config.js';
import {
  addDomain,
  domainHolder,
  domainView,
  findDomain,
  listDomains,
  ownerOfDomain,
  recordOf,
  removeDomain,
  requireNoDependents,
  verifyDomain,
} from './stored-domains.js';

/** Time limit for looking up a proof, whatever the name servers do. */
export const timeLimitMs = 5_000;
/** The answers of a name server for a name without such a record. */
const absent = new Set(['ENOTFOUND', 'ENODATA']);

/** Asks the name system whether a domain is proved. */
@Injectable()
export class DomainProof {
  private readonly resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 1_500 });

  constructor(@Inject(MailConfig) { outboundDnsServers }: MailConfig) {
    if (outboundDnsServers?.length) this.resolver.setServers(outboundDnsServers);
  }

  /** @throws Problem DOMAIN_RECORD_MISSING, NAME_SERVERS_UNAVAILABLE */
  async require(domain: { name: string; token: string }): Promise<void> {
    const { name, value } = recordOf(domain);
    const texts = await this.textsOf(name);
    if (!texts.includes(value)) throw new Problem('DOMAIN_RECORD_MISSING');
  }

  private async textsOf(name: string): Promise<readonly string[]> {
    const asked = this.resolver.resolveTxt(name).catch((cause: unknown) => {
      if (absent.has(codeOf(cause))) return [];
      throw new Problem('NAME_SERVERS_UNAVAILABLE', { cause });
    });
    const records = await withTimeout(asked, timeLimitMs, () => null);
    if (records === null) throw new Problem('NAME_SERVERS_UNAVAILABLE');
    // A record is of strings of up to 255 bytes each (RFC 1035 §3.3.14).
    return records.map((strings) => strings.join(''));
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Answers to which workspace a domain belongs. */
export const DomainOwnersHandlers = handlers(domainOwners, [], () => ({
  get: async (context, { name }) => ({ tenantId: await ownerOfDomain(context, name) }),
}));

/** The domains of a workspace. Name servers are asked with no transaction open. */
export const DomainsHandlers = handlers(domains, [DomainProof], (proof) => ({
  list: async (context) => ({
    items: (await listDomains(context)).map(domainView),
    nextPageToken: null,
  }),

  create: async (context, { name: given }) => {
    const name = domainName(given) ?? given;
    if ((await domainHolder(context, name)) === 'others') throw new Problem('DOMAIN_TAKEN');
    const id = newId('dom');
    context.subject(id);
    const isGiven = isSandbox(context.tenantId) && name.endsWith('.sandbox.invalid');
    const added = await addDomain(context, { id, name, isGiven });
    return { domain: domainView(added) };
  },

  verify: {
    prepare: async (reading, { id }) => {
      const found = await findDomain(reading, id);
      if (found.verifiedAt === null) {
        if ((await domainHolder(reading, found.name)) === 'others') {
          throw new Problem('DOMAIN_TAKEN');
        }
        await proof.require(found);
      }
      return async (context) => ({ domain: domainView(await verifyDomain(context, id)) });
    },
  },

  remove: async (context, { id, ifMatch, force }) => {
    const removed = await removeDomain(context, id);
    requireVersion(removed, ifMatch);
    if (!force) await requireNoDependents(context, removed);
    return { ok: true };
  },
}));
