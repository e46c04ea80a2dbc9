export { startCluster } from './cluster.js';
