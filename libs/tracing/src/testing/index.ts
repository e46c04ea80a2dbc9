export { Collector, type CollectedSpan } from './collector.js';
