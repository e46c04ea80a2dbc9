import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../run/child.mjs';
import { npmJson, ofTheLock } from './npm.mjs';
import { shippedFrom } from './shipped.mjs';

const jsonOf = async (path) => JSON.parse(await readFile(join(root, path), 'utf8'));

/** CycloneDX: every package that an installation runs, with version, licence and hash. */
export async function sbom() {
  const form = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const made = await npmJson(['sbom', ...form, ...ofTheLock]);
  const { packages } = await jsonOf('package-lock.json');
  const shipped = shippedFrom(packages, 'apps/postroom');
  const product = made.metadata.component;
  // npm calls the product by the folder that it lies in.
  product.name = (await jsonOf('package.json')).name;
  const isShipped = (reference) => shipped.has(reference);
  return {
    ...made,
    components: made.components.filter((one) => isShipped(one['bom-ref'])),
    dependencies: made.dependencies
      .filter(({ ref }) => ref === product['bom-ref'] || isShipped(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  };
}

/** Writes it for the release whose notes it is attached to. */
export async function writeSbom(made, folder = join(root, 'dist')) {
  const { name, version } = made.metadata.component;
  const path = join(folder, `${name}-${version}.cdx.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, `${JSON.stringify(made, null, 2)}\n`);
  return { path, count: made.components.length };
}
