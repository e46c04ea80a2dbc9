import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../run/child.mjs';
import { lint, parseManifests, render } from './helm.mjs';
import { mutations } from './mutations.mjs';
import { brokenPromises, promiseNames } from './policy.mjs';
import { programOf } from './programs.mjs';
import { checkOf } from './service-monitors.mjs';
import { keptStage, stages, valuesOf } from './stage.mjs';

const chart = join(root, 'k8s');
const registry = parse(await readFile(join(chart, 'files/services.yaml'), 'utf8'));

const brokenBy = async (stage, options) =>
  brokenPromises(parseManifests(await render(stage, options)), registry, await valuesOf(stage));

describe('the chart', () => {
  it.each(stages)('is clean under the values of %s', async (stage) => {
    expect(await lint(stage)).toContain('0 chart(s) failed');
  });

  it.each(stages)('keeps every promise under the values of %s', async (stage) => {
    expect(await brokenBy(stage)).toEqual({});
  });

  it('renders what is kept', async () => {
    const file = join(chart, 'rendered', `${keptStage}.yaml`);
    const text = await render(keptStage);
    if (process.env.UPDATE_GOLDENS === '1') await writeFile(file, text);
    expect(text).toBe(await readFile(file, 'utf8'));
  });
});

describe('a command of the operator', () => {
  const command = ['workspace', 'create', '--name', 'A team'];

  it('is a job of its own, which keeps every promise', async () => {
    const manifests = parseManifests(
      await render('production', { set: [`command=${JSON.stringify(command)}`] }),
    );
    const values = await valuesOf('production');
    expect(brokenPromises(manifests, registry, values)).toEqual({});
    const job = manifests.find(({ metadata }) => metadata.generateName === 'postroom-command-');
    const [container] = job.spec.template.spec.containers;
    expect(container.args).toEqual(command);
    expect(container.env.map(({ name }) => name)).toContain('ACCESS_DATABASE_URL');
    expect(job.metadata.annotations).toBeUndefined();
  });

  it.each([
    [
      ['backup', '--to', '/files/2026-11-26'],
      ['DATABASE_URL', 'SECRETS_KEYS'],
    ],
    [['workspace', 'import', '--from', '/files/team'], ['DATABASE_URL']],
    [['doctor'], ['DATABASE_URL', 'SECRETS_KEYS', 'AUDIT_KEY']],
    [['workspaces'], []],
  ])('%j has what it needs, and a volume', async (words, needs) => {
    const set = [`command=${JSON.stringify(words)}`, 'commandFiles="backups"'];
    const manifests = parseManifests(await render('production', { set }));
    expect(brokenPromises(manifests, registry, await valuesOf('production'))).toEqual({});
    const job = manifests.find(({ metadata }) => metadata.generateName === 'postroom-command-');
    const { containers, volumes } = job.spec.template.spec;
    const names = containers[0].env.map(({ name }) => name);
    const secrets = ['DATABASE_URL', 'SECRETS_KEYS', 'AUDIT_KEY'];
    expect(names.filter((name) => secrets.includes(name))).toEqual(needs);
    expect(containers[0].volumeMounts).toContainEqual({ name: 'files', mountPath: '/files' });
    expect(volumes).toContainEqual({
      name: 'files',
      persistentVolumeClaim: { claimName: 'backups' },
    });
  });
});

const withGo = (await programOf('go')) ? it : it.skip;

describe('the ServiceMonitors', () => {
  withGo('are as their definition has them, which refuses other fields and types', async () => {
    const faultsOf = await checkOf('servicemonitors');
    const monitors = parseManifests(await render('production')).filter(
      ({ kind }) => kind === 'ServiceMonitor',
    );
    expect(monitors).toHaveLength(Object.keys(registry.apps).length);
    for (const one of monitors) expect(faultsOf(one)).toBeNull();
    const [{ spec, ...one }] = monitors;
    expect(faultsOf({ ...one, spec: { ...spec, endpoint: [] } })).not.toBeNull();
    expect(faultsOf({ ...one, spec: { ...spec, endpoints: [{ port: 8081 }] } })).not.toBeNull();
    expect(faultsOf({ ...one, spec: { endpoints: spec.endpoints } })).not.toBeNull();
  });
});

describe('the PrometheusRule and the dashboard', () => {
  const ofKind = async (kind) =>
    parseManifests(await render('production', { set: ['monitoring.dashboard=true'] })).filter(
      (one) => one.kind === kind,
    );

  withGo('the rule is as its definition has it', async () => {
    const faultsOf = await checkOf('prometheusrules');
    const [rule] = await ofKind('PrometheusRule');
    expect(faultsOf(rule)).toBeNull();
    expect(faultsOf({ ...rule, spec: { groups: [{ name: 'a', rule: [] }] } })).not.toBeNull();
  });

  it('are the files of the chart', async () => {
    const [rule] = await ofKind('PrometheusRule');
    const alerts = await readFile(join(root, 'k8s/files/alerts.yaml'), 'utf8');
    expect(rule.spec).toEqual(parse(alerts));
    const dashboard = (await ofKind('ConfigMap')).find(({ data }) => data['postroom.json']);
    expect(JSON.parse(dashboard.data['postroom.json'])).toEqual(
      JSON.parse(await readFile(join(root, 'k8s/files/dashboard.json'), 'utf8')),
    );
    expect(dashboard.metadata.labels.grafana_dashboard).toBe('1');
  });
});

describe('values that are missing or wrong are refused by name:', () => {
  const refusals = {
    'publicUrl=null': "at '/publicUrl': got null, want string",
    'image.registry=null': "at '/image/registry': got null, want string",
    'secrets=null': "at '/secrets': got null, want object",
    'secrets.migration=null': "at '/secrets/migration': got null, want string",
    'database.host=null': "at '/database/host': got null, want string",
    'database.peers=[]': "at '/database/peers': minItems",
    'kafka.brokers="kafka:9092"': "at '/kafka/brokers': got string, want array",
    'kafka.brokers=["kafka"]': "at '/kafka/brokers/0': 'kafka' does not match pattern",
    'services.mail=null': "at '/services': missing property 'mail'",
    'services.gateway.replicas.min="two"':
      "at '/services/gateway/replicas/min': got string, want integer",
    'services.gateway.replicas.min=0': "at '/services/gateway/replicas/min': minimum",
    'services.mcp.settings.RATE_LIMIT_PER_MINUTE=5':
      "additional properties 'RATE_LIMIT_PER_MINUTE' not allowed",
    'services.pantry={}': "additional properties 'pantry' not allowed",
    'services.mcp.egress=[]': "additional properties 'egress' not allowed",
    'ingress.peers=[{}]': "at '/ingress/peers/0': minProperties",
    'database.sslMode="prefer"': "at '/database/sslMode': value must be one of",
    'image.tag="latest"': "at '/image/tag'",
    'kafka.certificates="postroom-kafka"': "at '/kafka/tls': value must be true",
    'metricsAdapter={"metric":"lag"}': "at '/metricsAdapter': missing property 'lagPerReplica'",
  };

  it('all that an installation must say', async () => {
    await expect(render(null)).rejects.toMatchObject({
      stderr: expect.stringContaining("missing properties 'publicUrl', 'secrets'"),
    });
  });

  it.each(Object.entries(refusals))('%s', async (set, words) => {
    await expect(render('trial', { set: [set] })).rejects.toMatchObject({
      stderr: expect.stringContaining(words),
    });
  });
});

describe('the policy notices when the chart loses', () => {
  const noticed = new Set();
  let folder;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-chart-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(mutations))('%s', async (_name, { file, from, to }) => {
    const copy = await mkdtemp(join(folder, 'chart-'));
    await cp(chart, copy, { recursive: true });
    const path = join(copy, 'templates', file);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(from);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
    const broken = (await Promise.all(stages.map((one) => brokenBy(one, { from: copy })))).flatMap(
      Object.keys,
    );
    expect(broken).not.toEqual([]);
    for (const promise of broken) noticed.add(promise);
  });

  it('each of its promises', () => {
    console.log(`${Object.keys(mutations).length} mutations, ${promiseNames.length} promises`);
    expect([...noticed].sort()).toEqual([...promiseNames].sort());
  });
});
