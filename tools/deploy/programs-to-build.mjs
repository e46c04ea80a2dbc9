import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toolsFolder } from './programs.mjs';

const goModules = [
  'helm.sh/helm/v3/cmd/helm@v3.22.0',
  'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
];
const pythonPackages = ['kubernetes-validate==1.37.0'];

/**
 * Makes the programs that check the chart, into the tools folder: some minutes, and Go and Python.
 * @param step runs one program, named
 */
export async function buildPrograms(step) {
  const bin = join(toolsFolder, 'bin');
  await mkdir(bin, { recursive: true });
  process.env.GOBIN = bin;
  for (const module of goModules) await step(`build ${module}`, 'go', 'install', module);
  const venv = join(toolsFolder, 'python');
  await step('python', 'python3', '-m', 'venv', venv);
  await step('python packages', join(venv, 'bin/pip'), 'install', '--quiet', ...pythonPackages);
  await step('link', 'ln', '-sf', join(venv, 'bin/kubernetes-validate'), bin);
}
