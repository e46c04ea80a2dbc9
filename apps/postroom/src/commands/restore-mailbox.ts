import { restoreMailbox as restore } from '@postroom/mail';
import { loadWorkspaceConfig } from '../load-config.js';
import { UsageError, type Command } from './command.js';
import { withMail } from './domains.js';

/** Brings a deleted mailbox back. */
export const restoreMailbox: Command = {
  words: ['mailbox', 'restore'],
  usage: `postroom mailbox restore ADDRESS
    Brings back a mailbox that was deleted less than 30 days ago, with all that was in it. Where two
    workspaces have deleted one of that address, its id says which.`,
  async run({ rest, env }) {
    const [named, ...more] = rest;
    if (named === undefined || more.length > 0) throw new UsageError();
    await withMail(loadWorkspaceConfig(env), (database) => restore(database, named));
    return [`${named} is back.`];
  },
};
