import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './child.mjs';

/** The specification is kept outside of the repository; comments cite the copy in `docs/spec`. */
export async function copySpecification() {
  for (const name of ['public-api.md', 'decisions.md']) {
    const text = await readFile(join(root, '../shared/spec', name));
    await writeFile(join(root, 'docs/spec', name), text);
  }
}
