/**
 * The packages that threads may load (docs/adr/0035). A configuration of its own, because it judges what is loaded when the
 * program runs: imports of types, which the other rules judge too, are gone by then.
 */
const { options } = require('../../.dependency-cruiser.cjs');
const frameworkFree = require('./framework-free.cjs');

const packages = (...names) => `(^|/)node_modules/(${names.join('|')})/`;
const threads = '[.]worker[.]ts$';

module.exports = {
  forbidden: [
    {
      name: 'threads-load-no-framework',
      comment: 'A framework costs each thread megabytes, and a longer start.',
      severity: 'error',
      from: { path: [threads, ...frameworkFree], pathNot: ['/src/testing/', '^apps/bench/'] },
      to: {
        path: packages('@nestjs', '@?fastify', 'class-validator', 'kafkajs', 'prom-client', 'rxjs'),
        reachable: true,
      },
    },
    {
      name: 'threads-load-no-orm',
      comment: 'Nor does a thread load TypeORM, but for the one that stores mail.',
      severity: 'error',
      from: {
        path: threads,
        pathNot: ['/src/testing/', '^apps/bench/', '^apps/mail/src/inbound/inbound[.]worker[.]ts$'],
      },
      to: { path: packages('typeorm'), reachable: true },
    },
  ],
  options: { ...options, tsPreCompilationDeps: false },
};
