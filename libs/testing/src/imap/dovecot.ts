import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile, utimes } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.js';
import type { MailServer } from './mail-server.js';

const run = promisify(execFile);
const program = '/usr/sbin/dovecot';
/** The user `nobody` of Debian. */
const owner = 65_534;

/** Debian's Dovecot, where it is installed and may be started. */
export const dovecot: { readonly missing: string | null } = {
  missing: !existsSync(program)
    ? `no ${program}: apt-get install dovecot-imapd`
    : process.getuid?.() === 0
      ? null
      : 'Dovecot changes its user, and this is not root',
};

/** Has tokens asked about at a provider. The password of everybody is for other logins alone then. */
const withTokens = (folder: string): string => `
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${folder}/oauth2.conf
}
passdb {
  driver = static
  mechanisms = plain login
  args = password=secret
}`;

const withPasswords = `
passdb {
  driver = static
  args = password=secret
}`;

/** RFC 7662. */
const oauth2 = (introspection: string): string => `
introspection_url = ${introspection}
introspection_mode = post
username_attribute = username
active_attribute = active
active_value = true
`;

const configuration = (folder: string, port: number, hasTokens: boolean): string => `
protocols = imap
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login${hasTokens ? ' xoauth2 oauthbearer' : ''}
mail_location = maildir:${folder}/mail/%u
mail_max_userip_connections = 1000
${hasTokens ? withTokens(folder) : withPasswords}
userdb {
  driver = static
  args = uid=${owner} gid=${owner} home=${folder}/home/%u
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
  mailbox Archive {
    auto = create
    special_use = \\Archive
  }
  mailbox Trash {
    auto = create
    special_use = \\Trash
  }
  mailbox Junk {
    auto = create
    special_use = \\Junk
  }
}
`;

/** A Dovecot of a spec's own, in a temporary folder. Every user has the password `secret`, and mail in a maildir. */
export class Dovecot implements MailServer {
  private server: ChildProcess | null = null;
  private written = 0;
  private interrupted = 0;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** @param introspection the address at which a provider tells what a token is worth, for logins with tokens */
  static async start(introspection?: string): Promise<Dovecot> {
    const folder = await mkdtemp(join(tmpdir(), 'dovecot-'));
    for (const part of ['run', 'state', 'mail', 'home']) await mkdir(join(folder, part));
    await run('chmod', ['755', folder]);
    for (const part of ['mail', 'home']) await chown(join(folder, part), owner, owner);
    const started = new Dovecot(folder, await freePort());
    const config = configuration(folder, started.port, introspection !== undefined);
    await writeFile(join(folder, 'dovecot.conf'), config);
    await writeFile(join(folder, 'oauth2.conf'), oauth2(introspection ?? ''));
    await started.up();
    return started;
  }

  /** Starts the server, after a stop too. */
  async up(): Promise<void> {
    this.server = spawn(program, ['-F', '-c', join(this.folder, 'dovecot.conf')], {
      stdio: 'ignore',
    });
    for (let tries = 0; tries < 100; tries += 1) {
      if (await isListening(this.port)) return;
      await sleep(50);
    }
    throw new Error(`Dovecot does not listen: ${await readFile(join(this.folder, 'log'), 'utf8')}`);
  }

  async down(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }

  async close(): Promise<void> {
    await this.down();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The folder of a user's maildir. */
  maildir(user: string, folder = 'INBOX'): string {
    const root = join(this.folder, 'mail', user);
    return folder === 'INBOX' ? root : join(root, `.${folder}`);
  }

  /** Puts a message into a folder, as a delivery does. */
  async deliver(
    user: string,
    raw: string,
    { folder = 'INBOX', at = new Date() } = {},
  ): Promise<void> {
    const place = this.maildir(user, folder);
    for (const part of ['', 'cur', 'new', 'tmp']) await ownFolder(join(place, part));
    this.written += 1;
    const name = `${Math.floor(at.getTime() / 1000)}.M${this.written}P${process.pid}.spec`;
    const written = join(place, 'tmp', name);
    await writeFile(written, raw);
    await chown(written, owner, owner);
    await utimes(written, at, at);
    await rename(written, join(place, 'new', name));
  }

  /** Moves a message of the inbox to another folder, as another client does. */
  async move(user: string, messageId: string, to: string): Promise<void> {
    await this.doveadm(
      ...['move', '-u', user, to, 'mailbox', 'INBOX', 'header', 'message-id', messageId],
    );
  }

  async expunge(user: string, messageId: string): Promise<void> {
    await this.doveadm(
      ...['expunge', '-u', user, 'mailbox', 'INBOX', 'header', 'message-id', messageId],
    );
  }

  /** Adds flags to a message of the inbox, or removes them, as another client does. */
  async flag(
    user: string,
    messageId: string,
    change: 'add' | 'remove',
    flags: string,
  ): Promise<void> {
    await this.doveadm(
      ...[
        'flags',
        change,
        '-u',
        user,
        flags,
        'mailbox',
        'INBOX',
        'header',
        'message-id',
        messageId,
      ],
    );
  }

  /** The messages of all folders: each Message-ID with its folder and flags. */
  async messages(user: string): Promise<{ id: string; folder: string; flags: string[] }[]> {
    const found = await this.doveadm(
      ...['-f', 'json', 'fetch', '-u', user, 'hdr.message-id mailbox flags', 'ALL'],
    );
    const rows = JSON.parse(found || '[]') as Record<string, string>[];
    return rows.map(({ 'hdr.message-id': id = '', mailbox: folder = '', flags = '' }) => {
      return { id: id.replace(/@.*|<|>/g, ''), folder, flags: flags.split(' ').filter(Boolean) };
    });
  }

  /** The number of the last change of a folder (RFC 7162). */
  async modseq(user: string, folder = 'INBOX'): Promise<string> {
    return this.doveadm(...['mailbox', 'status', '-u', user, 'highestmodseq', folder]);
  }

  private async doveadm(...args: string[]): Promise<string> {
    return (await run('doveadm', ['-c', join(this.folder, 'dovecot.conf'), ...args])).stdout;
  }

  /** Has the UIDs of a folder begin anew. */
  async renumber(user: string, folder = 'INBOX'): Promise<void> {
    const place = this.maildir(user, folder);
    for (const file of [
      'dovecot-uidlist',
      'dovecot.index',
      'dovecot.index.log',
      'dovecot.index.cache',
    ])
      await rm(join(place, file), { force: true });
  }

  /** Ends the processes that serve sessions, at once. */
  async killSessions(): Promise<void> {
    kill(await this.below('-x', 'imap'));
  }

  /** Kills the processes that serve sessions; every second time all of them, and starts the server again. */
  async interrupt(): Promise<void> {
    this.interrupted += 1;
    if (this.interrupted % 2 === 1) return this.killSessions();
    const { server } = this;
    if (!server) return;
    const ended = once(server, 'exit');
    // The master first: it would start others.
    const below = await this.below();
    server.kill('SIGKILL');
    kill(below);
    await ended;
    await this.up();
  }

  /** The server's processes below its master that `pgrep` chooses. */
  private async below(...chosen: string[]): Promise<number[]> {
    const args = ['-P', String(this.server?.pid ?? 0), ...chosen];
    const { stdout } = await run('pgrep', args).catch(() => ({ stdout: '' }));
    return stdout.split('\n').filter(Boolean).map(Number);
  }
}

function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function ownFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await mkdir(path, { recursive: true });
  await chown(path, owner, owner);
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
