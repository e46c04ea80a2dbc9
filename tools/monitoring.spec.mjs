import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { programOf } from './deploy/programs.mjs';
import { root } from './run/child.mjs';

const read = (path) => readFile(join(root, path), 'utf8');
const rules = parse(await read('k8s/files/alerts.yaml')).groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert);
const recorded = rules.flatMap(({ record }) => record ?? []);
const { panels } = JSON.parse(await read('k8s/files/dashboard.json'));

/** The files that declare metrics beside those of every process. */
const declaring = [
  'apps/gateway/src/access/approvals/approval-metrics.ts',
  'apps/mail/src/mail-app.ts',
  'apps/mail/src/mail-metrics.ts',
  'apps/mail/src/sends/unknown-sends.ts',
  'apps/webhook-dispatcher/src/delivery-metrics.ts',
  'libs/operations/src/run-service.ts',
  'libs/operations/src/service-metrics.ts',
];

/** The names of all series that a process exposes, and those that the rules record. */
async function knownSeries() {
  const { Metrics } = await import('@postroom/service');
  const { body } = await new Metrics().expose();
  const sources = await Promise.all(declaring.map(read));
  const families = [
    ...[...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name),
    ...sources.flatMap((source) =>
      [...source.matchAll(/name: '(postroom_\w+)'/g)].map(([, name]) => name),
    ),
  ];
  const series = families.flatMap((name) =>
    ['', '_bucket', '_count', '_sum'].map((end) => name + end),
  );
  return new Set([...series, ...recorded, 'up']);
}

/** Labels and functions have other names than these. */
const seriesOf = (expression) =>
  expression.replace(/\{[^}]*\}/g, '').match(/\b(?:(?:postroom|process|nodejs)[_:][\w:]+|up)\b/g);

const expressions = [
  ...rules.map(({ alert, record, expr }) => [alert ?? record, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr])),
].filter(([, expr]) => !/^[\d.]+$/.test(expr));

describe('the alerts and the dashboard', () => {
  it.each(expressions)('ask for series that there are: %s', async (_name, expression) => {
    const known = await knownSeries();
    const asked = seriesOf(expression);
    expect(asked?.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  it('have panels that do not lie on each other', () => {
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(panels.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe.each(alerts.map((one) => [one.alert, one]))('the alert %s', (name, alert) => {
  it('has a runbook, which it links to', async () => {
    const runbooks = await read('docs/runbooks.md');
    expect(runbooks).toMatch(new RegExp(`^## ${name}$`, 'm'));
    expect(alert.annotations.runbook_url).toBe(`docs/runbooks.md#${name.toLowerCase()}`);
    expect(['page', 'ticket']).toContain(alert.labels.severity);
  });

  it('fires in a test of it, and is silent in another', async () => {
    const { tests } = parse(await read('tools/alerts.test.yaml'));
    const cases = tests
      .flatMap((one) => one.alert_rule_test)
      .filter(({ alertname }) => alertname === name);
    expect(cases.some(({ exp_alerts: fired }) => fired.length > 0)).toBe(true);
    expect(cases.some(({ exp_alerts: fired }) => fired.length === 0)).toBe(true);
  });
});

const promtool = await programOf('promtool');
/** Debian's package prometheus has it. */
const withPromtool = promtool ? it : it.skip;

withPromtool('promtool finds the rules right, and each test of them passes', async () => {
  const run = (...args) => promisify(execFile)(promtool, args, { cwd: join(root, 'tools') });
  await run('check', 'rules', '--lint=all', '--lint-fatal', '../k8s/files/alerts.yaml');
  await run('test', 'rules', 'alerts.test.yaml');
});
