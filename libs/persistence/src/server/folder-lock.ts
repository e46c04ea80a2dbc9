import { DatabaseSync } from 'node:sqlite';
import { messageOf } from './setup-error.js';

/** Held until released, or until the process ends in whatever way. */
export interface FolderLock {
  release(): void;
}

/** A lock whose holder forgot it must not be given up by the garbage collector. */
const held = new Set<DatabaseSync>();

/**
 * Takes a lock file, or answers undefined when another holder has it.
 *
 * The lock is the operating system's own on an empty SQLite file: Node has no `flock`, and a file
 * with a process id in it is not released by SIGKILL and cannot be taken over without a race.
 */
export function tryLock(file: string): FolderLock | undefined {
  const database = new DatabaseSync(file);
  try {
    database.exec('BEGIN EXCLUSIVE');
    held.add(database);
    return {
      release: () => {
        if (held.delete(database)) database.close();
      },
    };
  } catch (error) {
    database.close();
    if (messageOf(error).includes('locked')) return undefined;
    throw error;
  }
}
