import { execFile } from 'node:child_process';
import { cp, glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { programOf, stagesFolder, toolsFolder } from './programs.mjs';

const goModules = [
  'helm.sh/helm/v3/cmd/helm@v3.22.0',
  'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
];
const pythonPackages = ['kubernetes-validate==1.37.0'];

const kubernetes = 'v1.37.2';
const kubernetesPrograms = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
];
const kwok = 'sigs.k8s.io/kwok@v0.8.0';
const etcd = 'go.etcd.io/etcd/server/v3@v3.7.3';

/**
 * Makes the programs that check the chart, into the tools folder: a quarter of an hour on two cores, and Go and Python.
 * What is there already is not made again.
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
  await buildKubernetes(step);
  await buildEtcd(step);
  await buildKwok(step);
}

const downloaded = async (module) => {
  const run = promisify(execFile);
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: '/' });
  return JSON.parse(stdout);
};

const areThere = async (names) => (await Promise.all(names.map(programOf))).every(Boolean);

/** The programs of a module that cannot be installed by its name, since others replace parts of it. */
async function buildIn(step, name, goMod, packages, ...flags) {
  const place = join(toolsFolder, `build-${name}`);
  await mkdir(place, { recursive: true });
  const imports = Object.values(packages).map((path) => `\t_ "${path}"\n`);
  await writeFile(join(place, 'go.mod'), goMod);
  await writeFile(
    join(place, 'tools.go'),
    `//go:build tools\n\npackage tools\n\nimport (\n${imports.join('')})\n`,
  );
  await step(`modules of ${name}`, 'go', '-C', place, 'mod', 'tidy');
  for (const [program, path] of Object.entries(packages)) {
    const out = join(toolsFolder, 'bin', program);
    await step(
      `build ${program}`,
      'go',
      '-C',
      place,
      'build',
      '-mod=mod',
      ...flags,
      '-o',
      out,
      path,
    );
  }
  await rm(place, { recursive: true });
}

/** Kubernetes replaces its parts by folders of its repository, which are published as modules of the same version. */
async function buildKubernetes(step) {
  if (await areThere(kubernetesPrograms)) return;
  const { GoMod: file } = await downloaded(`k8s.io/kubernetes@${kubernetes}`);
  const { stdout } = await promisify(execFile)('go', ['mod', 'edit', '-json', file], { cwd: '/' });
  const { Go: go, Replace: replaced } = JSON.parse(stdout);
  const parts = kubernetes.replace(/^v1/, 'v0');
  const goMod = [
    ...['module tools', `go ${go}`, `require k8s.io/kubernetes ${kubernetes}`],
    ...(replaced ?? []).map(({ Old: { Path: path } }) => `replace ${path} => ${path} ${parts}`),
  ];
  const paths = kubernetesPrograms.map((name) => [name, `k8s.io/kubernetes/cmd/${name}`]);
  // Without it the programs believe that they are version 0.0.0.
  const about = 'k8s.io/component-base/version';
  const [major, minor] = kubernetes.slice(1).split('.');
  const facts = { gitMajor: major, gitMinor: minor, gitVersion: kubernetes };
  const set = Object.entries(facts).map(([name, value]) => `-X ${about}.${name}=${value}`);
  const flags = ['-ldflags', ['-s', '-w', ...set].join(' ')];
  await buildIn(step, 'kubernetes', `${goMod.join('\n')}\n`, Object.fromEntries(paths), ...flags);
}

async function buildEtcd(step) {
  if (await areThere(['etcd'])) return;
  const [path, version] = etcd.split('@');
  const { GoMod: file } = await downloaded(etcd);
  const { stdout } = await promisify(execFile)('go', ['mod', 'edit', '-json', file], { cwd: '/' });
  const goMod = `module tools\ngo ${JSON.parse(stdout).Go}\nrequire ${path} ${version}\n`;
  await buildIn(step, 'etcd', goMod, { etcd: path });
}

/** The simulator of nodes, and the behaviour of nodes and pods in it. */
async function buildKwok(step) {
  await step(`build ${kwok}`, 'go', 'install', kwok.replace('@', '/cmd/kwok@'));
  const { Dir: folder } = await downloaded(kwok);
  await mkdir(stagesFolder, { recursive: true });
  const kinds = '{node,pod}/fast/*.yaml';
  for (const pattern of [kinds, 'node/heartbeat/*.yaml']) {
    for await (const file of glob(pattern, { cwd: join(folder, 'kustomize/stage') })) {
      if (basename(file) === 'kustomization.yaml') continue;
      await cp(
        join(folder, 'kustomize/stage', file),
        join(stagesFolder, file.replaceAll('/', '-')),
      );
    }
  }
}
