// The project's commands, behind the npm scripts. Plain JavaScript for any Node from 20 on, because
// it runs on a fresh clone: it installs what the lock file names and hands over to Node 24.
import { finish, run } from './run/child.mjs';
import { kafkaMissing } from './run/kafka.mjs';
import { installPackages } from './run/packages.mjs';
import { projectNode } from './run/project-node.mjs';
import { copySpecification } from './run/specification.mjs';

const commands = {
  start: (node, args) => app(node, 'workspace', 'main.js', args),
  'start:cluster': (node) => app(node, 'workspace', 'main.js', ['cluster']),
  postroom: (node, args) => app(node, 'workspace', 'cli.js', args),
  bench: (node, args) => app(node, 'bench', 'main.js', args),
  build: (node) => tsc(node),
  lint: async (node) => {
    await tsc(node);
    await references(node);
    await lint(node);
  },
  /** With arguments it is Jest alone, for the one spec under work: `npm test -- libs/bus`. */
  test: async (node, args) => {
    await tsc(node);
    if (args.length > 0) return jest('specs', node, ...args);
    await references(node);
    // Lint fills the core that the specs leave while they wait for servers and their ends.
    const specs = jest('specs', node, '--testPathIgnorePatterns', '/apps/e2e/');
    // Jest is left to end by itself: stopped by a signal it leaves its servers.
    const ends = await Promise.allSettled([lint(node), specs]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    await jest('end to end', node, 'apps/e2e');
    const missing = await kafkaMissing();
    if (missing !== null) return console.error(`- end to end, over Kafka: SKIPPED. ${missing}`);
    const cluster = ['-c', 'apps/e2e/jest.cluster.config.mjs'];
    await jest('end to end, over Kafka', node, ...cluster);
  },
  /** Minutes of faults on a cluster; CAMPAIGN=short makes each of them once or twice. */
  campaign: async (node) => {
    await tsc(node);
    await jest('campaign', node, '--runInBand', '-c', 'apps/e2e/jest.campaign.config.mjs');
  },
  format: (node) => step('format', node, tool('prettier'), '--write', '--log-level', 'warn', '.'),
  'spec:sync': () => copySpecification(),
};

async function app(node, name, file, args) {
  await tsc(node, `apps/${name}/tsconfig.lib.json`);
  // docs/adr/0035; docker/Dockerfile sets it too.
  process.env.MALLOC_ARENA_MAX ??= '2';
  await finish(run(node, [...nodeOptions, `apps/${name}/dist/${file}`, ...args]));
}

/** As docker/Dockerfile has them, and why: docs/adr/0035. Replicas and the bench inherit them. */
const nodeOptions = [
  '--enable-source-maps',
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
];

/** Builds the sources and checks the types of everything it is given, specs included. */
const tsc = (node, ...projects) => step('types and build', node, tool('tsc'), '-b', ...projects);

/** Also makes the project graph that ESLint's module boundaries read, in lint and in a spec. */
const references = (node) => step('project references', node, tool('nx'), 'sync:check');

async function lint(node) {
  const others = async () => {
    await step('format', node, tool('prettier'), '--check', '--log-level', 'warn', '.');
    await step('import walls', node, tool('depcruise'), 'apps', 'libs');
  };
  // ESLint keeps one core busy, and takes longer than the others together.
  await Promise.all([step('eslint', node, tool('eslint'), '--max-warnings', '0', '.'), others()]);
}

const jest = (name, node, ...args) => step(name, node, ...esModules, tool('jest'), ...args);
const esModules = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const tool = (name) => `node_modules/.bin/${name}`;

class StepFailed extends Error {
  constructor(name, outcome) {
    super(name);
    this.outcome = outcome;
  }
}

/** Runs one program, named and timed. @throws StepFailed: the command ends as the program did */
async function step(name, program, ...args) {
  const started = performance.now();
  const outcome = await run(program, args);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${outcome.ok ? '✓' : '✗'} ${name} (${seconds} s)`);
  if (!outcome.ok) throw new StepFailed(name, outcome);
}

const [name, ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) {
  console.error(`usage: node tools/run.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
  process.exit(2);
}
await installPackages();
try {
  await command(await projectNode(), args);
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  await finish(error.outcome);
}
