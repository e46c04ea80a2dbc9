import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's cache folder (XDG Base Directory Specification). */
export const userCacheFolder = (): string =>
  process.env['XDG_CACHE_HOME']?.trim() || join(homedir(), '.cache');

/** Java takes the encoding of file names from its locale, and a process of systemd or cron has none. */
export const javaEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C.UTF-8' });
