export { DomainsModule } from './domains.module.js';
export { domainOwner, giveDomain, takeDomainAway } from './given-domains.js';
export * from './domain-holder.js';
