/** The walls inside a package (docs/architecture.md); those between packages are Oxlint's. */

const frameworkFree = require('./tools/walls/framework-free.cjs');

module.exports = {
  forbidden: [
    {
      name: 'feature-through-its-index',
      comment: 'A feature (a folder of an app) is imported through its index.ts.',
      severity: 'error',
      // Folders there are no features of a service; the console's pages are loaded apart, the portal's made in turn.
      from: { path: '^apps/([^/]+)/src/([^/]+)', pathNot: '^apps/(e2e|bench|console|portal)/' },
      to: {
        path: '^apps/$1/src/[^/]+/',
        pathNot: [
          '^apps/$1/src/$2/',
          '^apps/[^/]+/src/[^/]+/index[.]ts$',
          '/src/testing/',
          ...frameworkFree,
        ],
      },
    },
    {
      name: 'library-through-its-exports',
      comment: "A library's files are its own, but for those that its package.json names.",
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^libs/[^/]+/src/',
        pathNot: [
          '^libs/$2/',
          '^libs/[^/]+/src/index[.]ts$',
          '^libs/persistence/src/provision/index[.]ts$',
          '^libs/mime/src/(composing/signed-body|parsing/(attachment-type|message-parser))[.]ts$',
          '^libs/testing/src/(hostile-html|repetitions|until)[.]ts$',
          '^libs/tracing/src/testing/index[.]ts$',
          ...frameworkFree,
        ],
      },
    },
    {
      name: 'gateway-floors',
      comment: 'The edge stands on access: access knows no HTTP and never imports the edge.',
      severity: 'error',
      from: { path: '^apps/gateway/src/access/', pathNot: '[.]spec[.]ts$' },
      to: {
        path: [
          '^apps/gateway/src/edge/',
          'node_modules/(fastify|passport[^/]*|@nestjs/(platform-fastify|passport|throttler))/',
        ],
      },
    },
    {
      name: 'gateway-edge-without-tables',
      comment: 'The edge asks access for what is in the database.',
      severity: 'error',
      from: { path: '^apps/gateway/src/edge/', pathNot: '[.]spec[.]ts$' },
      to: {
        path: ['^libs/persistence/', 'node_modules/(pg|typeorm)/'],
        pathNot: '^libs/persistence/src/blobs/blob-store[.]ts$',
      },
    },
    {
      name: 'testing-for-specs',
      comment: 'What helps specs is not built, so nothing that is built may need it.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['[.]spec[.]ts$', '/src/testing/'] },
      to: { path: '^(apps|libs)/[^/]+/src/testing/' },
    },
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one file, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is dead, unless something starts there.',
      severity: 'error',
      from: {},
      module: {
        path: '^(apps|libs)/[^/]+/src/.*[.]ts$',
        pathNot: [
          '^(apps|libs)/[^/]+/src/(index|main|cli)[.]ts$',
          '[.](spec|worker|d)[.]ts$',
          '^apps/bench/src/servers/',
          // Loaded by Jest, as the compiled file.
          '^apps/e2e/src/shared-product[.]ts$',
          // An entry of the console's build.
          '^apps/console/src/sign-in/passkey[.]ts$',
        ],
        numberOfDependentsLessThan: 1,
      },
    },
    {
      name: 'resolvable',
      comment: 'An import that is not found would slip past the other rules.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The programs in these two folders run in a folder of their own, with its packages.
    exclude: { path: '(^|/)(dist|out-tsc|coverage)/|^apps/e2e/(clients|generators)/' },
    tsPreCompilationDeps: true,
    // Packages are met by their source, so that nothing has to be built first.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@postroom/source', 'import', 'node', 'types', 'default'],
    },
  },
};
