// The rooms of the house (docs/architecture.md) and what each may import. A package names its room in
// the `nx.tags` of its package.json; one without a room may import nothing of ours.

const services = ['bus', 'persistence', 'access', 'service'];
const libraries = [
  'contracts',
  'concurrency',
  'limits',
  'tracing',
  ...services,
  'mime',
  'outbound',
  'formats',
  'operations',
];
const frameworks = ['@nestjs/*', 'fastify', '@fastify/*', 'typeorm', 'pg', 'kafkajs'];

const rooms = {
  contracts: { mayImport: [], never: frameworks },
  concurrency: { mayImport: [], never: frameworks },
  limits: { mayImport: ['contracts'], never: frameworks },
  tracing: { mayImport: ['concurrency'], never: frameworks },
  bus: { mayImport: ['contracts', 'concurrency', 'limits', 'tracing'], never: ['typeorm', 'pg'] },
  persistence: {
    mayImport: ['contracts', 'concurrency', 'limits', 'tracing', 'service'],
    never: ['kafkajs'],
  },
  access: { mayImport: ['contracts', 'concurrency', 'limits'] },
  service: { mayImport: ['contracts', 'concurrency', 'limits', 'tracing'] },
  mime: { mayImport: ['contracts', 'concurrency', 'limits', 'service'], never: frameworks },
  outbound: { mayImport: ['concurrency'], never: frameworks },
  formats: { mayImport: [], never: frameworks },
  operations: { mayImport: ['contracts', 'concurrency', 'limits', 'tracing', ...services] },
  // Servers on this machine: for the launcher and for tests, in no other image.
  local: { mayImport: ['service'], never: ['@nestjs/*', 'fastify', '@fastify/*', 'typeorm'] },
  testing: { mayImport: [...libraries, 'local'] },
  'service-testing': { mayImport: [...libraries, 'testing'] },
  app: { mayImport: libraries },
  // Programs of integrators, generated from the table and without any of its code.
  sdk: { mayImport: [], never: frameworks },
  cli: { mayImport: ['sdk'], never: frameworks },
  // A page in a browser: types of contracts alone.
  console: { mayImport: ['contracts'], never: frameworks },
  // Pages that are written when the product is built.
  portal: { mayImport: ['contracts', 'formats'], never: frameworks },
  postroom: { mayImport: [...libraries, 'local', 'app'] },
  e2e: { mayImport: [...libraries, 'local', 'testing', 'sdk'] },
  bench: { mayImport: [...libraries, 'local', 'testing', 'app', 'e2e'] },
};

const tag = (room) => `room:${room}`;

/** For `@nx/enforce-module-boundaries`; `also` names rooms that the files in question may add. */
export const constraints = ({ also = [] } = {}) =>
  Object.entries(rooms).map(([room, { mayImport, never = [] }]) => ({
    sourceTag: tag(room),
    onlyDependOnLibsWithTags: [...new Set([...mayImport, ...also])].map(tag),
    bannedExternalImports: never,
  }));

export const roomTags = Object.keys(rooms).map(tag);
