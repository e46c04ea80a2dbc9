export { brokerMissing } from './requirements.js';
export { BrokerSetupError } from './setup-error.js';
export { makeSecured, opensslMissing } from './secured-files.js';
export { securityFor, type Secured } from './secured.js';
export { startBrokers, type RunningBrokers } from './start-brokers.js';
export { startBroker, type BrokerOptions, type RunningBroker } from './start-broker.js';
