import { storingServiceNames } from '@postroom/contracts';
import { connectAccess, workspaceId } from '@postroom/gateway';
import { findDatabase } from '../../database.js';
import { loadWorkspaceConfig } from '../../load-config.js';
import { StartError } from '../../start-error.js';
import { UsageError, type Command } from '../command.js';
import { ExportFiles, exportFormat } from './export-files.js';
import { exportCalendars, exportContacts, exportMail, exportTables } from './export-parts.js';
import { TenantSnapshot } from './tenant-snapshot.js';

/** What a schema has beside its tables. */
const open: Readonly<
  Record<string, (snapshot: TenantSnapshot, files: ExportFiles) => Promise<void>>
> = { mail: exportMail, directory: exportContacts, scheduling: exportCalendars };

/** Writes everything of a workspace to files in open formats. */
export const exportWorkspace: Command = {
  words: ['workspace', 'export'],
  usage: `postroom workspace export --name NAME --to FOLDER
    Writes everything of a workspace into a new folder: messages as mbox, contacts as vCard, events as
    iCalendar, and every table as NDJSON, without secrets. Each service is read as it is at one moment.
    manifest.json comes last; an export without it was cut off.`,
  async run({ rest, options, env }) {
    const { name = '', to = '' } = options;
    if (rest.length > 0 || name === '' || to === '') throw new UsageError();
    const config = loadWorkspaceConfig(env);
    const id = await findWorkspace(await findDatabase(config, 'access'), name);
    const files = await ExportFiles.in(to);
    const exportedAt = new Date().toISOString();
    for (const service of storingServiceNames) {
      const url = await findDatabase(config, service);
      const snapshot = await TenantSnapshot.open(url, service, id);
      try {
        await exportTables(snapshot, service, files);
        await open[service]?.(snapshot, files);
      } finally {
        await snapshot.close();
      }
    }
    await files.finish({ workspace: { id, name }, exportedAt, format: exportFormat });
    return files.written.map(({ path, records, bytes }) => `${path}: ${records} (${bytes} bytes)`);
  },
};

/** @throws StartError when there is no workspace of that name */
export async function findWorkspace(accessUrl: string, name: string): Promise<string> {
  const database = await connectAccess(accessUrl);
  try {
    const id = await workspaceId(database, name);
    if (id === null) throw new StartError(`There is no workspace named "${name}".`);
    return id;
  } finally {
    await database.close();
  }
}
