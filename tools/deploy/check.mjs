import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterPrograms } from './cluster.mjs';
import { manifestsText } from './helm.mjs';
import { programOf } from './programs.mjs';
import { buildPrograms } from './programs-to-build.mjs';
import { keptStage, stages } from './stage.mjs';

const kubernetes = '1.37';

/**
 * Advice of kube-score that the chart does not follow: a limit of CPU (it throttles a process that has work while the
 * node is idle), `Always` (a tag names one image for ever), and anti-affinity (the spread says it).
 */
const scoring = [
  '--ignore-container-cpu-limit',
  ...['--ignore-test', 'container-image-pull-policy,deployment-has-host-podantiaffinity'],
];

const skip = (what, missing) => {
  console.error(`- ${what}: SKIPPED, ${missing} is not there (npm run check:deploy -- --build)`);
};

/**
 * Everything that checks the chart, as far as this machine has the programs for it.
 * @param tools `jest` runs Jest with arguments, `step` any program, named
 */
export async function checkDeploy({ jest, step }, args) {
  if (args.includes('--build')) await buildPrograms(step);
  await jest('kept manifests', 'tools/deploy');
  if (await programOf('helm')) {
    await jest('chart', '-c', 'tools/deploy/jest.config.mjs');
  } else skip('lint, rendering and the promises of the chart', 'helm');
  const found = await Promise.all(clusterPrograms.map(programOf));
  const missing = clusterPrograms.filter((_, place) => !found[place]);
  if (missing.length > 0) skip('a Kubernetes of its own', missing.join(', '));
  await validate(step);
  await score(step);
}

/** It ends well when all it says is a warning: of a kind or a version that it knows nothing of. */
const silent = 'said=$("$0" "$@" 2>&1) && test -z "$said" || { echo "$said"; exit 1; }';

const faultsAlone = 'said=$("$0" "$@" 2>&1) || { grep -v "^.OK" <<< "$said"; exit 1; }';

/** Without helm, the stage whose manifests are kept. */
const readableStages = async () => ((await programOf('helm')) ? stages : [keptStage]);

/** Kinds that Kubernetes does not have itself are checked by their own definitions. */
async function validate(step) {
  const program = await programOf('kubernetes-validate');
  if (!program) return skip('kubernetes-validate', 'kubernetes-validate');
  const folder = await mkdtemp(join(tmpdir(), 'postroom-manifests-'));
  try {
    for (const stage of await readableStages()) {
      const own = (await manifestsText(stage))
        .split(/^---\n/m)
        .filter((one) => !/^kind: (ServiceMonitor|PrometheusRule)$/m.test(one));
      const file = join(folder, `${stage}.yaml`);
      await writeFile(file, own.join('---\n'));
      const options = ['-k', kubernetes, '--strict', '--quiet', file];
      await step(`kubernetes-validate ${stage}`, 'bash', '-c', silent, program, ...options);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function score(step) {
  const program = await programOf('kube-score');
  if (!program) return skip('kube-score', 'kube-score');
  const folder = await mkdtemp(join(tmpdir(), 'postroom-manifests-'));
  const how = ['--kubernetes-version', `v${kubernetes}`, ...scoring];
  const options = ['--exit-one-on-warning', '--output-format', 'ci', ...how];
  try {
    // A trial has one replica of each service, of which kube-score would warn.
    for (const stage of (await readableStages()).filter((one) => one !== 'trial')) {
      const file = join(folder, `${stage}.yaml`);
      await writeFile(file, await manifestsText(stage));
      const scored = [program, 'score', ...options, file];
      await step(`kube-score ${stage}`, 'bash', '-c', faultsAlone, ...scored);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
