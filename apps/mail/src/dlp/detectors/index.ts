export { AllowedDomains } from './allowed-domains.js';
export { AttachmentTypes } from './attachment-types.js';
export { cardNumbers } from './card-number.js';
export { Expression } from './expression.js';
export { frenchSocialSecurityNumbers } from './fr-ssn.js';
export { ibans } from './iban.js';
export { secretKeys } from './secret-key.js';
