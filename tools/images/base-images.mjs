import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { programOf } from '../deploy/programs.mjs';
import { output } from './containers.mjs';

/** The base images of docker/Dockerfile without their digests, and their contents where no registry serves them. */
const bases = {
  'docker.io/library/node:24.21.0-bookworm-slim': {
    argument: 'NODE_IMAGE',
    variant: 'minbase',
    packages: ['ca-certificates'],
    files: async (node) => [
      [node, '/usr/local/bin/node'],
      [await npmFolder(), '/usr/local/lib/node_modules/npm'],
    ],
    links: [
      ['../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm'],
      ['../lib/node_modules/npm/bin/npx-cli.js', '/usr/local/bin/npx'],
    ],
  },
  'gcr.io/distroless/cc-debian12:nonroot': {
    argument: 'RUNTIME_IMAGE',
    variant: 'extract',
    packages: ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6'],
    files: () => [],
    links: [],
  },
};

/** The folder of this machine's npm: its program links to `npm/bin/npm-cli.js`. */
const npmFolder = async () => join(dirname(await realpath(await programOf('npm'))), '..');

/** The arguments of a build from these bases: what is made here has no digest of a registry. */
export const baseArguments = Object.entries(bases).flatMap(([name, { argument }]) => [
  '--build-arg',
  `${argument}=${name}`,
]);

/**
 * Sees that the bases are there: pulled, or made from Debian's packages under the same names.
 * @param node the project's
 */
export async function provideBases(buildah, node, folder) {
  for (const [name, parts] of Object.entries(bases)) {
    const isThere = await buildah('inspect', '--type', 'image', name).catch(() => null);
    if (isThere) continue;
    const pulled = await buildah('pull', '--quiet', '--retry', '0', name).catch(() => null);
    if (pulled) continue;
    console.error(`- ${name} cannot be pulled: made from packages of Debian`);
    await makeStandIn(buildah, name, parts, node, folder);
  }
}

async function makeStandIn(buildah, name, { variant, packages, files, links }, node, folder) {
  await mkdir(folder, { recursive: true });
  const place = await mkdtemp(join(folder, 'base-'));
  try {
    const tree = join(place, 'root');
    const options = [`--variant=${variant}`, `--include=${packages.join(',')}`, '--quiet'];
    await output('mmdebstrap', ...options, 'bookworm', tree);
    for (const [from, to] of await files(node)) await cp(from, join(tree, to), { recursive: true });
    for (const [to, at] of links) await output('ln', '-sf', to, join(tree, at));
    await trustHost(tree);
    const container = (await buildah('from', 'scratch')).trim();
    await buildah('add', '--quiet', container, tree, '/');
    await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
    const authorities = process.env.NODE_EXTRA_CA_CERTS && `NODE_EXTRA_CA_CERTS=${certificates}`;
    if (authorities && variant === 'minbase')
      await buildah('config', '--env', authorities, container);
    await buildah('commit', '--quiet', '--rm', container, name);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** The authorities of this machine: those of the mirror that packages come from, perhaps. */
async function trustHost(tree) {
  await mkdir(join(tree, dirname(certificates)), { recursive: true });
  await cp(certificates, join(tree, certificates)).catch(() => undefined);
}
