import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The suite that `E2E_SUITE` names. The first line of a spec file may give it tags, `// tags: own, kafka`:
 *
 * - `own`: starts and kills products of its own, beside the one that files share;
 * - `kafka`: a transport can change what it shows, so `.ci/run` runs it over Kafka too;
 * - `cluster`: only several processes over Kafka can show it;
 * - `clients`, `console`, `faults`, `hostile`, `imap`, `mcp`: belongs to that suite alone (docs/testing.md).
 */
const suites = {
  /** One process, as `npm start`: the default. */
  process: { topology: 'process', has: (tags) => !tags.some((tag) => apart.includes(tag)) },
  /** Over Kafka, as `npm run start:cluster`: what a transport can change. */
  kafka: { topology: 'cluster', has: (tags) => tags.includes('kafka') },
  /** The same with everything. */
  cluster: {
    topology: 'cluster',
    has: (tags) => !tags.some((tag) => apart.includes(tag) && tag !== 'cluster'),
  },
  clients: { topology: 'process', has: (tags) => tags.includes('clients') },
  console: { topology: 'process', has: (tags) => tags.includes('console') },
  faults: { has: (tags) => tags.includes('faults') },
  hostile: { has: (tags) => tags.includes('hostile') },
  imap: { topology: 'process', has: (tags) => tags.includes('imap') },
  mcp: { topology: 'process', has: (tags) => tags.includes('mcp') },
};
const apart = ['cluster', 'clients', 'console', 'faults', 'hostile', 'imap', 'mcp'];

const { E2E_SUITE = 'process', E2E_PRODUCT } = process.env;
const chosen = suites[E2E_SUITE];
if (!chosen) throw new Error(`E2E_SUITE is one of ${Object.keys(suites).join(', ')}`);

const sources = join(import.meta.dirname, 'src');
const tagged = globSync('**/*.spec.ts', { cwd: sources }).map((path) => {
  const [, tags = ''] = /^\/\/ tags: (.*)/.exec(readFileSync(join(sources, path), 'utf8')) ?? [];
  return { path, tags: tags.split(', ').filter(Boolean) };
});
const files = tagged
  .filter(({ tags }) => chosen.has(tags))
  .map(({ path, tags }) => ({ path, product: tags.includes('own') ? 'own' : 'shared' }))
  .filter(({ product }) => [undefined, product].includes(E2E_PRODUCT));

/** `E2E_PRODUCT` is `own` or `shared` where only those files are meant: two runs go beside each other. */
export const suite = {
  name: E2E_SUITE,
  topology: chosen.topology,
  files: files.map(({ path }) => path),
};

/** The preparations for the files that match the patterns of Jest's command line; without patterns all match. */
export function needsOf(patterns) {
  const matches = ({ path }) =>
    patterns.length === 0 || patterns.some((one) => new RegExp(one).test(join(sources, path)));
  const products = files.filter(matches).map(({ product }) => product);
  return {
    topology: chosen.topology,
    sharesProduct: products.includes('shared'),
    startsProducts: products.includes('own'),
  };
}
