import { domainName, domains, newId, Problem } from '@postroom/contracts';
import { handlers, requireVersion } from '@postroom/operations';
import { domainHolder } from './domain-holder.js';
import { DomainProof, newDomainToken } from './domain-proof.js';
import {
  addDomain,
  domainView,
  findDomain,
  listDomains,
  removeDomain,
  requireNoDependents,
  verifyDomain,
} from './stored-domains.js';

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
    const added = await addDomain(context, { id, name, token: newDomainToken(), isGiven: false });
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
