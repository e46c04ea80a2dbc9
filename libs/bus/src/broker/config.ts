import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's cache folder (XDG Base Directory Specification). */
export const userCacheFolder = (): string =>
  process.env['XDG_CACHE_HOME']?.trim() || join(homedir(), '.cache');
