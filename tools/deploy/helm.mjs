import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root } from '../run/child.mjs';
import { programOf } from './programs.mjs';
import { keptStage } from './stage.mjs';

const chart = join(root, 'k8s');
/** A helm that is built from source believes in an old Kubernetes, and in no ServiceMonitor. */
const cluster = ['--kube-version', '1.37.0', '--api-versions', 'monitoring.coreos.com/v1'];

const helm = async (...args) => {
  const { stdout } = await promisify(execFile)(await programOf('helm'), args, {
    maxBuffer: 2 ** 26,
  });
  return stdout;
};

const valuesFile = (stage) => join(chart, 'stages', `${stage}.yaml`);

/** Renders the chart for a stage, or for none (null). @throws with helm's message in `stderr` */
export const render = (stage, { from = chart, set = [] } = {}) =>
  helm(
    ...['template', 'postroom', from, '--namespace', 'postroom'],
    ...(stage === null ? [] : ['--values', valuesFile(stage)]),
    ...cluster,
    ...set.flatMap((one) => ['--set-json', one]),
  );

/** The manifests of a stage: those that are kept, or rendered now, which needs helm. */
export const manifestsText = (stage) =>
  stage === keptStage ? readFile(join(chart, 'rendered', `${stage}.yaml`), 'utf8') : render(stage);

/** @throws with what is wrong in `stdout` */
export const lint = (stage) =>
  helm('lint', '--strict', chart, '--values', valuesFile(stage), '--kube-version', '1.37.0');

export const parseManifests = (text) =>
  parseAllDocuments(text)
    .map((one) => one.toJS())
    .filter((one) => one !== null);
