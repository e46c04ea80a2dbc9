import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The folder of the programs that `npm run check:deploy -- --build` builds. */
export const toolsFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'postroom',
  'tools',
);

/** The behaviour of simulated nodes and pods: kwok's own files. */
export const stagesFolder = join(toolsFolder, 'kwok');

const folders = () => [join(toolsFolder, 'bin'), ...(process.env.PATH ?? '').split(delimiter)];

/** The path of a program, from the tools folder or the PATH; null where it is in neither. */
export async function programOf(name) {
  for (const folder of folders()) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}
