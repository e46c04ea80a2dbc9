// The project's commands, behind the npm scripts. Plain JavaScript for any Node from 20 on, because
// it runs on a fresh clone: it installs what the lock file names and hands over to Node 24.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finish, root, run } from './run/child.mjs';
import { kafkaMissing, withBroker } from './run/kafka.mjs';
import { nodeEnvironment, nodeOptions } from './run/node-options.mjs';
import { installPackages } from './run/packages.mjs';
import { projectNode } from './run/project-node.mjs';
import { copySpecification } from './run/specification.mjs';
import { consoleIsStale, portalIsStale } from './run/stale.mjs';

const commands = {
  start: (node, args) => app(node, 'postroom', 'main.js', args),
  'start:cluster': (node) => app(node, 'postroom', 'main.js', ['cluster']),
  postroom: (node, args) => app(node, 'postroom', 'cli.js', args),
  bench: async (node, args) => {
    // One of them measures the product itself.
    await tsc(node, 'apps/postroom/tsconfig.lib.json');
    await app(node, 'bench', 'main.js', args);
  },
  build: (node) => beside(withPortal(node), consolePage(node)),
  /** Oxlint, format, import walls and project references. */
  lint: (node) => inTurn(node, tsc, lint),
  /** With arguments it is Jest alone, for the one spec under work: `npm test -- libs/bus`. */
  test: async (node, args) => {
    if (args.length === 0) return quickCheck(node);
    await tsc(node);
    const config = args.some((arg) => arg.includes('apps/e2e')) ? ['-c', endToEndConfig] : [];
    await jest('specs', node, ...config, ...args);
  },
  /** The part of the end-to-end suite that a transport can change. */
  'test:kafka': (node) => inTurn(node, tsc, (of) => overKafka(of, 'kafka')),
  'test:full': fullCheck,
  /** Attacks by strangers and other workspaces; minutes long. */
  'test:hostile': (node) => inTurn(node, tsc, hostile),
  /** Faults one by one under load, judged by histories: docs/reliability.md. */
  faults: async (node, args) => {
    await tsc(node);
    const { runFaults } = await import('./run/faults.mjs');
    if (!(await runFaults(node, args))) await finish({ code: 1 });
  },
  /** Official programs of MCP; the first time it installs them into a temporary folder. */
  'test:mcp': (node) => inTurn(node, tsc, mcpClients),
  /** Debian's Dovecot, read as a team's account is; skipped where it is not installed. */
  'test:imap': (node) => inTurn(node, tsc, imapServers),
  /** Clients that generators make of the published documents, linters of these, and a Postfix in front. */
  'test:clients': (node) => inTurn(node, tsc, otherPrograms),
  /** The console's pages in Chromium; the first time it installs the browser into a temporary folder. */
  'test:console': (node, args) =>
    inTurn(node, withPortal, consolePage, (of) => browserTests(of, ...args)),
  /** The Helm chart, by whatever checks charts on this machine; `-- --build` makes those programs. */
  'check:deploy': async (node, args) => {
    const { checkDeploy } = await import('./deploy/check.mjs');
    await checkDeploy({ jest: (name, ...of) => jest(name, node, ...of), step }, args);
  },
  /** The images, where this machine can build and run containers. */
  'check:images': async (node) => {
    await tsc(node, 'apps/postroom/tsconfig.lib.json');
    const { checkImages } = await import('./images/check.mjs');
    await checkImages(node);
  },
  /** Known weaknesses of what an installation runs: asks the registry, so no other check depends on it. */
  'check:advisories': async () => {
    const { checkAdvisories } = await import('./supply-chain/check-advisories.mjs');
    await finish({ code: await checkAdvisories() });
  },
  /** The packages of an installation, as CycloneDX, in dist/. */
  sbom: async () => {
    const { sbom, writeSbom } = await import('./supply-chain/write-sbom.mjs');
    const { path, count } = await writeSbom(await sbom());
    console.error(`✓ ${count} components in ${path}`);
  },
  /** Sets the version, commits and tags: `npm run release -- 0.4.0`. Nothing leaves this machine. */
  release: async (_node, [version]) => {
    const { release, ReleaseRefused } = await import('./release/release.mjs');
    const { sbom, writeSbom } = await import('./supply-chain/write-sbom.mjs');
    try {
      console.error(
        `✓ ${version} is committed and tagged; its notes are in ${await release(version, root)}`,
      );
    } catch (error) {
      if (!(error instanceof ReleaseRefused)) throw error;
      console.error(error.message);
      return finish({ code: 1 });
    }
    console.error(`✓ what it consists of is in ${(await writeSbom(await sbom())).path}`);
  },
  format: (node) => step('format', node, tool('oxfmt')),
  'spec:sync': () => copySpecification(),
};

async function app(node, name, file, args) {
  const project = `apps/${name}/tsconfig.lib.json`;
  if (name === 'postroom')
    await beside(withPortal(node, project, ...portalProjects), consolePage(node));
  else await tsc(node, project);
  process.env = { ...nodeEnvironment, ...process.env };
  await finish(run(node, [...nodeOptions, `apps/${name}/dist/${file}`, ...args]));
}

/**
 * Builds the sources and checks the types of everything it is given, specs included. `tsc` is the native TypeScript 7
 * (`native-typescript`); the package `typescript` is 6 for the programs that need an API in JavaScript: Nx,
 * dependency-cruiser and tools/expressions.
 */
const tsc = (node, ...projects) => step('types and build', node, tool('tsc'), '-b', ...projects);

/** The portal, and the programs that it gives away. */
const portalProjects = ['apps/portal/tsconfig.lib.json', 'apps/cli/tsconfig.lib.json'];

/** The same, and then the portal's pages, in apps/portal/dist/site: a program of its own writes them. */
async function withPortal(node, ...projects) {
  await tsc(node, ...projects);
  if (portalIsStale()) await step('portal', node, 'apps/portal/dist/main.js');
}

/** The console's page, in apps/console/dist/page. */
async function consolePage(node) {
  if (consoleIsStale())
    await step('console', node, tool('vite'), 'build', 'apps/console', '-l', 'warn');
}

/**
 * docs/testing.md says what runs here, and what in `test:full` alone. Specs run from source, so that types are checked
 * beside them.
 */
const quickCheck = (node) => inTurn(node, (of) => beside(tsc(of), specs(of)), endToEnd);

/** Everything there is, each suite that measures time alone. */
async function fullCheck(node) {
  process.env.PROPERTY_RUNS ??= '10000';
  const cluster = () => overKafka(node, 'cluster');
  const programs = [mcpClients, imapServers, otherPrograms, browserTests];
  const parts = [
    withPortal,
    consolePage,
    lint,
    specs,
    endToEnd,
    ...programs,
    cluster,
    faults,
    hostile,
  ];
  await inTurn(node, ...parts);
}

const lint = (node) => beside(oxlint(node), inTurn(node, format, walls));

async function specs(node) {
  // Several programs write to one terminal: none may redraw it.
  process.env.CI ??= 'true';
  await jest('specs', node, '--testPathIgnorePatterns', needsBroker, startsTheBuild, needsDovecot);
}

/** The spec file that starts what was built. */
const startsTheBuild = 'apps/postroom/src/main[.]spec[.]ts$';

/** The spec files that need a broker; most of them share one. */
const needsBroker = '[.]kafka[.]spec[.]ts$';

/** The spec files that need Debian's Dovecot. */
const needsDovecot = '[.]imap[.]spec[.]ts$';

const imapServers = (node) =>
  inTurn(
    node,
    (of) => jest('IMAP servers', of, '--testPathPatterns', needsDovecot),
    (of) => endToEndSuite('IMAP servers, whatever dies', of, { E2E_SUITE: 'imap' }),
  );

const specsOverKafka = (node) => jest('specs over Kafka', node, '--testPathPatterns', needsBroker);

/** The files of the shared product go one by one, beside those that wait for products of their own. */
const endToEnd = (node) =>
  beside(
    jest('npm start', node, startsTheBuild),
    endToEndSuite('end to end', node, { E2E_SUITE: 'process', E2E_PRODUCT: 'shared' }),
    endToEndSuite(
      'end to end, own products',
      node,
      { E2E_SUITE: 'process', E2E_PRODUCT: 'own' },
      ...['--maxWorkers', '2'],
    ),
  );

/** Here a product is twelve processes: two at once have no time to start on two cores. */
async function overKafka(node, suite) {
  const missing = await kafkaMissing();
  if (missing !== null) return console.error(`- over Kafka: SKIPPED. ${missing}`);
  const part = (name, product) => (of) =>
    endToEndSuite(name, of, { E2E_SUITE: suite, E2E_PRODUCT: product });
  await withBroker(() =>
    inTurn(node, part('end to end over Kafka', 'shared'), (of) =>
      beside(specsOverKafka(of), part('end to end over Kafka, own products', 'own')(of)),
    ),
  );
}

const mcpClients = (node) => endToEndSuite('MCP clients', node, { E2E_SUITE: 'mcp' });

const otherPrograms = (node) => endToEndSuite('other programs', node, { E2E_SUITE: 'clients' });

const browserTests = (node, ...args) =>
  endToEndSuite('console in a browser', node, { E2E_SUITE: 'console' }, ...args);

/** Files that belong to no other suite; `npm run faults` has them and others as scenarios. */
const faults = (node) =>
  inTurn(node, ...['process', 'cluster'].map((topology) => (of) => faultsIn(of, topology)));

const faultsIn = (node, topology) => {
  const settings = { E2E_SUITE: 'faults', POSTROOM_E2E_TOPOLOGY: topology };
  const files = topology === 'process' ? ['one-fault'] : [];
  return endToEndSuite(`faults, ${topology}`, node, settings, ...files);
};

/** Every expression of the product is proved anew; then attacks on a product of their own, and its limits over Kafka. */
const hostile = (node) =>
  inTurn(
    node,
    (of) => stepWith({ HOSTILE: 'full' }, 'expressions', of, tool('jest'), 'tools/expressions'),
    (of) => endToEndSuite('attacks', of, { E2E_SUITE: 'hostile' }),
    limitsOverKafka,
  );

async function limitsOverKafka(node) {
  const missing = await kafkaMissing();
  if (missing !== null) return console.error(`- limits over Kafka: SKIPPED. ${missing}`);
  const settings = { E2E_SUITE: 'hostile', POSTROOM_E2E_TOPOLOGY: 'cluster' };
  await endToEndSuite('limits over Kafka', node, settings, 'src/limits.spec.ts');
}

const endToEndConfig = 'apps/e2e/jest.config.mjs';

/** The files that `E2E_SUITE` and `E2E_PRODUCT` choose: apps/e2e/suite.mjs. */
const endToEndSuite = (name, node, settings, ...args) =>
  stepWith(settings, name, node, tool('jest'), '-c', endToEndConfig, ...args);

async function oxlint(node) {
  // Also makes the project graph that the boundaries of modules are read from, in lint and in a spec.
  await step('project references', node, tool('nx'), 'sync:check');
  await step('oxlint', node, tool('oxlint'));
}

const format = (node) => step('format', node, tool('oxfmt'), '--check');

async function walls(node) {
  await step('import walls', node, tool('depcruise'), 'apps', 'libs');
  const loaded = '{apps,libs}/*/src/**/{*.worker,sealed-columns}.ts';
  await step('walls of threads', node, tool('depcruise'), '-c', 'tools/walls/threads.cjs', loaded);
}

/** Waits for all of them, also after one has failed: Jest, stopped by a signal, leaves its servers. */
async function beside(...running) {
  const ends = await Promise.allSettled(running);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** One part after the other, also after one that failed. @throws what the first of those threw */
async function inTurn(node, ...parts) {
  const failures = [];
  for (const part of parts) await part(node).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

const jest = (name, node, ...args) => step(name, node, tool('jest'), ...args);

const tool = (name) => `node_modules/.bin/${name}`;

class StepFailed extends Error {
  constructor(name, outcome) {
    super(name);
    this.outcome = outcome;
  }
}

/** Runs one program, named and timed. @throws StepFailed: the command ends as the program did */
const step = (name, program, ...args) => stepWith({}, name, program, ...args);

/** The same with settings for its environment. */
async function stepWith(settings, name, program, ...args) {
  const started = performance.now();
  const outcome = await run(program, args, { settings });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${outcome.ok ? '✓' : '✗'} ${name} (${seconds} s)`);
  if (!outcome.ok) throw new StepFailed(name, outcome);
}

// A shared compile cache: a check starts some hundred processes that load Nest.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'postroom-compile-cache');

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
