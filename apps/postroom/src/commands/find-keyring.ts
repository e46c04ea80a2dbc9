import type { WorkspaceConfig } from '../config.js';
import { readInstallation } from '../installation.js';

/** The keyring of the secrets at rest: the given one, else the data folder's; null where there is neither. */
export const findKeyring = async ({
  secretsKeys,
  dataDir,
}: Pick<WorkspaceConfig, 'secretsKeys' | 'dataDir'>): Promise<string | null> =>
  secretsKeys ?? (await readInstallation(dataDir))?.secretsKeys ?? null;
