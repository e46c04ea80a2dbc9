import { inFullRun } from '@postroom/testing/repetitions';
import { topology } from './config.js';

/**
 * `it` or `describe` of what no transport can change, in a file that `npm test` also runs over Kafka:
 * there it runs in process alone, and in `npm run test:full` in both topologies.
 */
export const anyTransport = <S>(runner: S & { readonly skip: S }): S =>
  topology() === 'process' ? runner : inFullRun(runner);
