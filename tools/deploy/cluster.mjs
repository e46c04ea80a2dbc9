import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programOf, stagesFolder } from './programs.mjs';

/** The programs of such a cluster; `npm run check:deploy -- --build` builds them. */
export const clusterPrograms = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'kubectl',
];

const token = 'of-the-check';
const readyMs = 120_000;
const zones = ['a', 'b', 'c'];

/**
 * A Kubernetes of its own on this machine: a real API server with its controllers and scheduler, on etcd, and nodes that
 * kwok plays: pods are accepted, scheduled and said to be ready, and nothing runs.
 */
export class Cluster {
  static async start() {
    const cluster = new Cluster(await mkdtemp(join(tmpdir(), 'postroom-cluster-')));
    try {
      await cluster.startAll();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  constructor(folder) {
    this.folder = folder;
    this.kubeconfig = join(folder, 'kubeconfig.json');
    this.children = [];
  }

  async startAll() {
    const [store, peers, api] = [await freePort(), await freePort(), await freePort()];
    await this.writeFiles(api);
    const at = (name) => join(this.folder, name);
    await this.spawn('etcd', {
      'data-dir': at('etcd'),
      'listen-client-urls': `http://127.0.0.1:${store}`,
      'advertise-client-urls': `http://127.0.0.1:${store}`,
      'listen-peer-urls': `http://127.0.0.1:${peers}`,
      'initial-advertise-peer-urls': `http://127.0.0.1:${peers}`,
      'initial-cluster': `default=http://127.0.0.1:${peers}`,
      // It is thrown away.
      'unsafe-no-fsync': true,
    });
    await this.spawn('kube-apiserver', {
      'etcd-servers': `http://127.0.0.1:${store}`,
      'bind-address': '127.0.0.1',
      'secure-port': api,
      'endpoint-reconciler-type': 'none',
      'cert-dir': at('certificates'),
      'token-auth-file': at('tokens.csv'),
      'authorization-mode': 'RBAC',
      'service-account-issuer': 'https://postroom.test',
      'service-account-key-file': at('accounts.key'),
      'service-account-signing-key-file': at('accounts.key'),
      'service-cluster-ip-range': '10.0.0.0/24',
      'disable-admission-plugins': 'ServiceAccount',
    });
    await this.until('the API server', () => this.kubectl('get', '--raw', '/readyz'));
    const client = { kubeconfig: this.kubeconfig };
    const alone = { ...client, 'leader-elect': false, 'secure-port': 0 };
    await this.spawn('kube-controller-manager', alone);
    await this.spawn('kube-scheduler', alone);
    await this.addNodes();
    const stages = (await readdir(stagesFolder)).map((file) => join(stagesFolder, file));
    await this.spawn('kwok', { ...client, 'manage-all-nodes': true, config: stages });
    const ready = ['--for=condition=Ready', '--timeout=2s', 'node', '--all'];
    await this.until('nodes', () => this.kubectl('wait', ...ready));
  }

  async writeFiles(api) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const server = `https://127.0.0.1:${api}`;
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'check' },
      clusters: [{ name: 'check', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'check', user: { token } }],
      contexts: [{ name: 'check', context: { cluster: 'check', user: 'check' } }],
    };
    const files = {
      'accounts.key': privateKey.export({ type: 'pkcs8', format: 'pem' }),
      'tokens.csv': `${token},admin,1,"system:masters"\n`,
      'kubeconfig.json': JSON.stringify(config),
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(this.folder, name), text, { mode: 0o600 });
    }
  }

  /** One in each zone, as large as a small machine. */
  async addNodes() {
    const capacity = { cpu: '8', memory: '16Gi', 'ephemeral-storage': '50Gi', pods: '110' };
    const items = zones.map((zone) => ({
      ...{ apiVersion: 'v1', kind: 'Node' },
      metadata: {
        name: `node-${zone}`,
        labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': `node-${zone}` },
      },
      status: { capacity, allocatable: capacity },
    }));
    await this.apply({ apiVersion: 'v1', kind: 'List', items });
  }

  async apply(manifest, ...options) {
    const file = join(this.folder, 'applied.json');
    await writeFile(file, JSON.stringify(manifest));
    return this.kubectl('apply', '--filename', file, ...options);
  }

  /** @throws with its words in `stderr` */
  kubectl(...args) {
    return this.run('kubectl', `--kubeconfig=${this.kubeconfig}`, ...args);
  }

  helm(...args) {
    return this.run('helm', `--kubeconfig=${this.kubeconfig}`, ...args);
  }

  /** Programs of a cluster keep caches in the home folder: this one's. */
  async run(program, ...args) {
    const env = { PATH: process.env.PATH, HOME: this.folder };
    const options = { env, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(await programOf(program), args, options);
    return stdout;
  }

  async spawn(program, flags) {
    const args = Object.entries(flags).flatMap(([name, value]) =>
      [value].flat().map((one) => `--${name}=${one}`),
    );
    const log = await open(join(this.folder, `${program}.log`), 'a');
    const stdio = ['ignore', log.fd, log.fd];
    const env = { PATH: process.env.PATH, HOME: this.folder };
    const child = spawn(await programOf(program), args, { cwd: this.folder, env, stdio });
    await once(child, 'spawn');
    await log.close();
    this.children.push({ program, child });
  }

  async until(what, isThere) {
    const endMs = Date.now() + readyMs;
    for (;;) {
      const error = await isThere().then(
        () => null,
        (reason) => reason,
      );
      if (error === null) return;
      const ended = this.children.find(({ child }) => hasEnded(child));
      if (ended || Date.now() > endMs) {
        const { program } = ended ?? this.children.at(-1);
        const log = await readFile(join(this.folder, `${program}.log`), 'utf8');
        throw new Error(`no ${what}; ${program} said:\n${log.slice(-3_000)}`, { cause: error });
      }
      await sleep(100);
    }
  }

  async stop() {
    for (const { child } of this.children.toReversed()) {
      if (hasEnded(child)) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(20_000, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
