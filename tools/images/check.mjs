import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf, toolsFolder } from '../deploy/programs.mjs';
import { baseArguments, provideBases } from './base-images.mjs';
import { confined, containersIn } from './containers.mjs';
import { firstCall, untilStatus } from './first-call.mjs';
import { composedSecrets, composedServices } from './installation.mjs';

const needed = ['buildah', 'podman', 'runc', 'mmdebstrap', 'openssl'];

/**
 * Builds the image of each app, and runs the product from them in compose's order, against a database and a
 * broker of the project's own. Prints sizes, and fails at the first thing that is not as it should be.
 */
export async function checkImages(node) {
  const found = await Promise.all(needed.map(programOf));
  const missing = needed.filter((_, index) => !found[index]);
  if (process.getuid() !== 0) missing.push('root');
  if (missing.length > 0) return console.error(`- images: SKIPPED, ${missing.join(', ')} missing`);
  const folder = join(toolsFolder, 'images');
  await mkdir(folder, { recursive: true });
  const containers = containersIn(folder);
  await provideBases(containers.buildah, node, folder);
  const place = await mkdtemp(join(tmpdir(), 'postroom-images-'));
  // PostgreSQL runs as a user of its own.
  await chmod(place, 0o711);
  const stops = [];
  try {
    await build(containers);
    await run(containers, place, stops);
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error) => console.error(error.message));
    await rm(place, { recursive: true, force: true });
  }
}

const imageOf = (app) => `localhost/postroom-${app}:check`;

async function apps() {
  const composed = await composedServices({
    ...{
      databaseUrl: 'postgres://x:x@x',
      brokers: 'x',
      ports: {},
      publicUrl: 'http://x',
      secrets: {},
    },
  });
  return composed.map(({ app }) => app);
}

async function build({ buildah }) {
  const options = ['--isolation', 'chroot', '--format', 'docker', '--layers', '--pull-never'];
  for (const app of await apps()) {
    const started = performance.now();
    const file = ['--file', 'docker/Dockerfile', '--ignorefile', 'docker/Dockerfile.dockerignore'];
    await buildah(
      'bud',
      ...options,
      ...file,
      ...baseArguments,
      '--build-arg',
      `APP=${app}`,
      '--tag',
      imageOf(app),
      '.',
    );
    const size = await buildah('images', '--format', '{{.Size}}', imageOf(app));
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.error(`✓ image ${app}: ${size.trim()} (${seconds} s)`);
  }
}

async function run(containers, place, stops) {
  const { freePorts, startBroker, startPostgres } = await import('../../libs/local/dist/index.js');
  const log = (line) => console.error(line);
  const postgres = await startPostgres({ dataDir: join(place, 'postgres'), log });
  stops.push(() => postgres.stop());
  const broker = await startBroker({ dataDir: join(place, 'kafka'), log });
  stops.push(() => broker.stop());
  const next = freePorts();
  const free = {};
  for (const name of ['PORT', 'SMTP_PORT', 'catcher', ...(await apps())]) free[name] = await next();
  const ports = Object.fromEntries((await apps()).map((app) => [app, { HEALTH_PORT: free[app] }]));
  Object.assign(ports.gateway, { PORT: free.PORT });
  Object.assign(ports.mail, { SMTP_PORT: free.SMTP_PORT });
  const publicUrl = `http://127.0.0.1:${free.PORT}`;
  const secrets = await composedSecrets(place);
  const at = { databaseUrl: postgres.adminUrl, brokers: broker.brokers, ports, publicUrl, secrets };
  const services = await composedServices(at);
  const prepare = services.find(({ name }) => name === 'prepare');
  await prepareTwice(containers, prepare);
  const order = inOrder(services.filter((one) => one !== prepare));
  for (const service of order) {
    stops.push(await startService(containers, service));
    await inspect(containers, service);
  }
  await callFirst(containers, prepare, publicUrl);
  await stopAll(containers, order);
}

/** Each after those that it depends on. */
function inOrder(services) {
  const names = new Set(services.map(({ name }) => name));
  const waits = ({ after }) => after.some((one) => names.has(one));
  return [...services.filter((one) => !waits(one)), ...services.filter(waits)];
}

const environmentOf = ({ environment }) =>
  Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);

/** Two jobs at once take turns, and both end well. */
async function prepareTwice({ podman }, prepare) {
  const once = () =>
    podman('run', '--rm', ...confined, ...environmentOf(prepare), imageOf('postroom'), 'prepare');
  await Promise.all([once(), once()]);
  console.error('✓ two migration jobs at once');
}

async function startService({ podman }, service) {
  const name = `postroom-check-${service.app}`;
  await podman('rm', '--force', '--ignore', name);
  await podman(
    'run',
    '--detach',
    '--name',
    name,
    ...confined,
    ...environmentOf(service),
    imageOf(service.app),
  );
  return () => podman('rm', '--force', '--ignore', name);
}

async function inspect({ podman }, { app, healthPort }) {
  const name = `postroom-check-${app}`;
  const probes = `http://127.0.0.1:${healthPort}`;
  await untilStatus(`${probes}/startupz`, 200, 60_000).catch(async (error) => {
    throw new Error(`${error.message}\n${await podman('logs', name)}`);
  });
  for (const path of ['/readyz', '/healthz', '/metrics'])
    await untilStatus(`${probes}${path}`, 200, 5_000);
  const pid = (await podman('inspect', '--format', '{{.State.Pid}}', name)).trim();
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  if (!/^Uid:\t65532\t65532\t/m.test(status)) throw new Error(`${app} runs as another user`);
  if (!/^CapEff:\t0+$/m.test(status)) throw new Error(`${app} has capabilities`);
  if (!/^NoNewPrivs:\t1$/m.test(status)) throw new Error(`${app} may gain privileges`);
  const write =
    "try { require('node:fs').writeFileSync('/postroom/x', ''); } catch (e) { console.log(e.code) }";
  const refusal = await podman('exec', name, '/usr/local/bin/node', '-e', write);
  if (refusal.trim() !== 'EROFS') throw new Error(`${app} can write to its root: ${refusal}`);
  // As an engine would; it fails unless the check says that all is well.
  const image = JSON.parse(await podman('inspect', '--type', 'image', imageOf(app)))[0];
  await podman('exec', name, ...image.Healthcheck.Test.slice(1));
  const { HostConfig } = JSON.parse(await podman('inspect', name))[0];
  if (HostConfig.Memory !== 768 * 2 ** 20) throw new Error(`${app} has no memory limit`);
  const memory = Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1024;
  console.error(`✓ ${app} is ready, as 65532, without capabilities (${memory.toFixed(0)} MB)`);
}

async function callFirst({ podman }, prepare, publicUrl) {
  const create = [
    'app/dist/cli.js',
    'workspace',
    'create',
    '--name',
    'Images',
    '--admin',
    'a@images.test',
    '--domain',
    'images.test',
  ];
  const entry = ['--entrypoint', '/usr/local/bin/node'];
  const said = await podman(
    'run',
    '--rm',
    ...confined,
    ...entry,
    ...environmentOf(prepare),
    imageOf('postroom'),
    ...create,
  );
  const token =
    /[?#&/]?token=([\w.-]+)/.exec(said)?.[1] ?? /invitations?\/([\w.-]+)/.exec(said)?.[1];
  if (!token) throw new Error(`no invitation in: ${said}`);
  const { conversations } = await firstCall(publicUrl, token);
  if (conversations?.length !== 0) throw new Error('the first call answers something else');
  console.error('✓ the first call of a workspace is answered');
}

async function stopAll({ podman }, order) {
  for (const { app } of order.toReversed()) {
    const name = `postroom-check-${app}`;
    await podman('stop', '--time', '50', name);
    const code = (await podman('inspect', '--format', '{{.State.ExitCode}}', name)).trim();
    if (code !== '0') throw new Error(`${app} ended with ${code}: ${await podman('logs', name)}`);
  }
  console.error('✓ each ends well when it is told to stop');
}
