export { startCluster } from './cluster.js';
export { findBrokers } from './open-broker.js';
