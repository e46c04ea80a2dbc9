export { brokerMissing } from './requirements.js';
export { BrokerSetupError } from './setup-error.js';
export { startBroker, type BrokerOptions, type RunningBroker } from './start-broker.js';
