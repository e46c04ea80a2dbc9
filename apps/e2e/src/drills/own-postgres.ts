import { execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, serverUser, type SystemUser } from '@postroom/local';
import { freePort } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { isListening } from '../ports.js';

const needed = ['initdb', 'pg_ctl', 'pg_basebackup'];
const password = 'postgres';

/** The folder of PostgreSQL's own programs; null where not all that are needed are in one. */
export function ownPrograms(): string | null {
  const command = '{ pg_config --bindir; dirname "$(command -v pg_ctl)"; true; } 2>/dev/null';
  const told = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\n');
  const isWhole = (place: string): boolean =>
    place.startsWith('/') && needed.every((program) => existsSync(join(place, program)));
  return [...told, ...globSync('/usr/lib/postgresql/*/bin')].find(isWhole) ?? null;
}

/** A PostgreSQL server as an operator sets one up, with an archive of its log. */
export class OwnPostgres {
  private constructor(
    private readonly programs: string,
    /** Holds `data`, `archive` and copies of the data. */
    private readonly folder: string,
    private readonly port: number,
    private readonly user: SystemUser | undefined,
  ) {}

  /** Makes a database in `data` that archives its log, and starts the server. */
  static async start(programs: string, folder: string): Promise<OwnPostgres> {
    const server = new OwnPostgres(programs, folder, await freePort(), await serverUser());
    await mkdir(server.archive, { recursive: true });
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, password);
    const { uid, gid } = server.user ?? {};
    if (uid !== undefined && gid !== undefined)
      for (const path of [folder, server.archive]) await chown(path, uid, gid);
    await chmod(folder, 0o711);
    const how = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
    const who = ['--username=postgres', `--pwfile=${passwordFile}`];
    await server.program('initdb', ...how, ...who, '-D', server.data);
    await configure(
      server.data,
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      `port = ${server.port}`,
      'archive_mode = on',
      'archive_timeout = 2s',
      `archive_command = 'test ! -f ${server.archive}/%f && cp %p ${server.archive}/%f'`,
    );
    await server.launch(server.data);
    return server;
  }

  get archive(): string {
    return join(this.folder, 'archive');
  }

  get adminUrl(): string {
    return `postgres://postgres:${password}@127.0.0.1:${this.port}/postgres`;
  }

  /** Copies the database, while it works, into a folder of that name. */
  baseBackup(name: string): Promise<void> {
    const to = join(this.folder, name);
    return this.program('pg_basebackup', '--checkpoint=fast', '-d', this.adminUrl, '-D', to);
  }

  /** Deletes the database while it works; resolves when its server has ended. */
  async lose(): Promise<void> {
    const [pid] = (await readFile(join(this.data, 'postmaster.pid'), 'utf8')).split('\n');
    await rm(this.data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    process.kill(Number(pid), 'SIGQUIT');
    await until(async () => !(await isListening(this.port)));
  }

  /** Starts the server on a copy, and has it do again what the archive says, up to a time. */
  async recover(name: string, toMs: number): Promise<void> {
    const copy = join(this.folder, name);
    const time = new Date(toMs).toISOString().replace('T', ' ').replace('Z', '+00');
    await configure(
      copy,
      `restore_command = 'cp ${this.archive}/%f %p'`,
      `recovery_target_time = '${time}'`,
      "recovery_target_action = 'promote'",
    );
    await writeFile(join(copy, 'recovery.signal'), '');
    await this.launch(copy);
  }

  /** Ends the server at once. */
  stop(name: string): Promise<void> {
    return this.program('pg_ctl', 'stop', '-D', join(this.folder, name), '-m', 'immediate');
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private launch(data: string): Promise<void> {
    const log = join(this.folder, 'log.txt');
    return this.program('pg_ctl', 'start', '-D', data, '-l', log, '-w', '-t', '120');
  }

  private async program(name: string, ...args: readonly string[]): Promise<void> {
    const { ok, stdout, stderr } = await runProgram(join(this.programs, name), args, this.user);
    if (!ok) throw new Error(`${name} failed: ${stdout}${stderr}`);
  }
}

const configure = (data: string, ...lines: readonly string[]): Promise<void> =>
  appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
