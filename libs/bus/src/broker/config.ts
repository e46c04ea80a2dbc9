import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where a user's programs keep what they can fetch again (XDG Base Directory Specification). */
export const userCacheFolder = (): string =>
  process.env['XDG_CACHE_HOME']?.trim() || join(homedir(), '.cache');
