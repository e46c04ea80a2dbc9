import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../run/child.mjs';
import { Cluster, clusterPrograms } from './cluster.mjs';
import { manifestsText, parseManifests } from './helm.mjs';
import { programOf } from './programs.mjs';
import { definitionOf } from './service-monitors.mjs';
import { stages } from './stage.mjs';

const namespace = 'postroom';
const minutes = 60_000;

const found = await Promise.all([...clusterPrograms, 'go'].map(programOf));
const describeWithPrograms = found.every(Boolean) ? describe : describe.skip;

/** Pods are played: what is checked is what the API server and its controllers make of the manifests. */
describeWithPrograms('on a Kubernetes of its own,', () => {
  let cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
    const restricted = ['enforce', 'warn'].map((mode) => [
      `pod-security.kubernetes.io/${mode}`,
      'restricted',
    ]);
    await cluster.apply({
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: namespace, labels: Object.fromEntries(restricted) },
    });
    for (const kind of ['servicemonitors', 'prometheusrules'])
      await cluster.kubectl('apply', '--server-side', '--filename', await definitionOf(kind));
  }, 5 * minutes);
  afterAll(() => cluster?.stop(), 2 * minutes);

  const manifestsOf = async (stage) => parseManifests(await manifestsText(stage));

  /** Unknown fields, wrong values, and whatever the server would warn of fail. */
  const wouldTake = (items) =>
    cluster.apply(
      { apiVersion: 'v1', kind: 'List', items },
      ...['--dry-run=server', '--validate=strict', '--warnings-as-errors'],
    );

  it.each(stages)(
    'the manifests of %s are taken without a warning',
    async (stage) => {
      const manifests = await manifestsOf(stage);
      const taken = await wouldTake(manifests);
      expect(taken.trim().split('\n')).toHaveLength(manifests.length);
    },
    2 * minutes,
  );

  const mayBeRoot = ({ template }) => {
    delete template.spec.securityContext;
    for (const container of template.spec.containers) delete container.securityContext;
  };

  it.each([
    ['a field that there is not', 'unknown field', (spec) => Object.assign(spec, { replica: 2 })],
    ['a value out of range', 'greater than or equal to 0', (spec) => (spec.replicas = -1)],
    ['a pod that may be root', 'violate PodSecurity', mayBeRoot],
  ])('%s is refused', async (_what, reason, spoil) => {
    const one = (await manifestsOf('trial')).find(({ kind }) => kind === 'Deployment');
    spoil(one.spec);
    await expect(wouldTake([one])).rejects.toMatchObject({
      stderr: expect.stringContaining(reason),
    });
  });

  const release = ['postroom', '--namespace', namespace];
  const waiting = ['--wait', '--timeout', '2m'];
  const chart = join(root, 'k8s');
  const values = ['--values', join(chart, 'stages/production.yaml')];

  const get = async (...args) =>
    JSON.parse(await cluster.kubectl('get', ...args, '--namespace', namespace, '--output=json'));

  /** The revision of each Deployment by its name, once all their pods are ready: an autoscaler may add some. */
  async function revisions() {
    for (let tries = 0; ; tries += 1) {
      const { items } = await get('deployments');
      if (items.every(({ spec, status }) => spec.replicas === status.readyReplicas)) {
        const revision = 'deployment.kubernetes.io/revision';
        return new Map(
          items.map(({ metadata }) => [metadata.name, metadata.annotations[revision]]),
        );
      }
      if (tries > 120)
        throw new Error(`not ready: ${JSON.stringify(items.map(({ status }) => status))}`);
      await sleep(500);
    }
  }

  const settingsOf = async (app) => (await get('configmap', `postroom-${app}`)).data;

  it(
    'the chart is installed, after its migration',
    async () => {
      await timed(
        'install',
        cluster.helm('install', release[0], chart, ...release.slice(1), ...values, ...waiting),
      );
      expect((await revisions()).size).toBe(6);
      const { status } = await get('job', 'postroom-migration');
      expect(status.succeeded).toBe(1);
      const { items } = await get('deployments');
      const [first] = items.map(({ metadata }) => metadata.creationTimestamp).toSorted();
      expect(Date.parse(status.completionTime)).toBeLessThanOrEqual(Date.parse(first));
    },
    6 * minutes,
  );

  it(
    'is upgraded, which replaces the pods of what has changed',
    async () => {
      const before = await revisions();
      const set = ['--set-json', 'services.mail.settings={"LOG_LEVEL":"debug"}'];
      await timed(
        'upgrade',
        cluster.helm(
          'upgrade',
          release[0],
          chart,
          ...release.slice(1),
          ...values,
          ...set,
          ...waiting,
        ),
      );
      const changed = [...(await revisions())].filter(([name, at]) => before.get(name) !== at);
      expect(changed.map(([name]) => name)).toEqual(['postroom-mail']);
      expect(await settingsOf('mail')).toMatchObject({ LOG_LEVEL: 'debug' });
    },
    6 * minutes,
  );

  it(
    'is rolled back',
    async () => {
      await timed(
        'rollback',
        cluster.helm('rollback', release[0], '1', ...release.slice(1), ...waiting),
      );
      expect(await settingsOf('mail')).not.toHaveProperty('LOG_LEVEL');
      expect((await revisions()).size).toBe(6);
    },
    6 * minutes,
  );

  it(
    'leaves nothing behind that would run',
    async () => {
      await timed('uninstall', cluster.helm('uninstall', ...release, ...waiting));
      expect((await get('deployments')).items).toEqual([]);
    },
    6 * minutes,
  );
});

async function timed(what, running) {
  const started = performance.now();
  await running;
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
