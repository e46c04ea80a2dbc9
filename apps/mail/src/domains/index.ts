export { DomainOwnersHandlers, DomainProof, DomainsHandlers } from './domains.handlers.js';
export { domainOwner, giveDomain, takeDomainAway } from './given-domains.js';
export { domainHolder, domainOfAddress, requireOurDomain } from './stored-domains.js';
