import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@postroom/service/setup-error';

/** Keeps locks referenced, since the garbage collector would release them. */
const held = new Set<DatabaseSync>();

/**
 * Takes a lock file until it is released or this process ends in whatever way; undefined when
 * another process or caller has it.
 *
 * The lock is the operating system's own on an empty SQLite file: Node has no `flock`, and a file
 * with a process id in it is not released by SIGKILL and cannot be taken over without a race.
 */
export function tryLock(file: string): { release: () => void } | undefined {
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
