export { tryLock } from './folder-lock.js';
export { freePort, freePorts } from './free-port.js';
export { brokerMissing } from './kafka/jars.js';
export { makeSecured, opensslMissing, securityFor, type Secured } from './kafka/secured.js';
export { startBroker, type BrokerOptions, type RunningBroker } from './kafka/start-broker.js';
export { startBrokers, type RunningBrokers } from './kafka/start-brokers.js';
export { startOutboxServer, type OutboxServer } from './outbox/outbox-server.js';
export { runProgram, serverUser, type SystemUser } from './postgres/run-as.js';
export { startPostgres, type RunningPostgres } from './postgres/start-postgres.js';
