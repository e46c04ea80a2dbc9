import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@postroom/testing';

const page = new URL('../../../../docs/mail.md', import.meta.url);

/** Why there is no Postfix; null when there is one. It changes its user, which root alone may. */
export const postfixMissing = (): string | null => {
  if (spawnSync('postconf', ['-d', 'mail_version']).status !== 0) return 'postfix';
  return process.getuid?.() === 0 ? null : 'root';
};

interface Places {
  /** The mail domain of a workspace. */
  readonly domain: string;
  /** Port of the product's LMTP. */
  readonly lmtp: number;
  /** Port of the server that stands for all others. */
  readonly internet: number;
}

/** Services that every Postfix has, none of them confined: the folder is no complete root. */
const services = `
pickup    unix  n - n 60 1 pickup
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 1 1 qmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
verify    unix  - - n - 1 verify
proxymap  unix  - - n - - proxymap
smtp      unix  - - n - - smtp
relay     unix  - - n - - smtp
error     unix  - - n - - error
retry     unix  - - n - - error
lmtp      unix  - - n - - lmtp
showq     unix  n - n - - showq
anvil     unix  - - n - 1 anvil
scache    unix  - - n - 1 scache
postlog   unix-dgram n - n - 1 postlogd
`;

/** A Postfix in a folder of its own, set up as docs/mail.md says, but for names, ports and folders. */
export class Postfix {
  private constructor(
    private readonly folder: string,
    /** The port to which the world brings its mail. */
    readonly mx: number,
    /** The port to which the product brings its own. */
    readonly submission: number,
  ) {}

  static async start({ domain, lmtp, internet }: Places): Promise<Postfix> {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-postfix-'));
    // Its user goes through.
    chmodSync(folder, 0o755);
    for (const name of ['etc', 'queue', 'data']) mkdirSync(join(folder, name));
    spawnSync('chown', ['postfix', join(folder, 'data')]);
    const [mx, submission] = [await freePort(), await freePort()];
    const text = readFileSync(page, 'utf8');
    const [, main = ''] = /^```main.cf\n([^]*?)^```$/m.exec(text) ?? [];
    const [, master = ''] = /^```master.cf\n([^]*?)^```$/m.exec(text) ?? [];
    const own = `
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
compatibility_level = 3.6
alias_maps =
relayhost = [127.0.0.1]:${internet}
`;
    const settings = main.replaceAll('example.com', domain).replace('2424', String(lmtp));
    writeFileSync(join(folder, 'etc/main.cf'), settings + own);
    const door = master.replace('127.0.0.1:587 inet n - y', `127.0.0.1:${submission} inet n - n`);
    const front = `127.0.0.1:${mx} inet n - n - - smtpd\n`;
    writeFileSync(join(folder, 'etc/master.cf'), front + door + services);
    const postfix = new Postfix(folder, mx, submission);
    postfix.control('start');
    return postfix;
  }

  /** The lines of its queue; one that says so when it is empty. */
  queue(): string {
    return spawnSync('postqueue', ['-c', join(this.folder, 'etc'), '-p'], { encoding: 'utf8' })
      .stdout;
  }

  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  stop(): void {
    this.control('stop');
    rmSync(this.folder, { recursive: true });
  }

  private control(command: 'start' | 'stop'): void {
    const args = ['-c', join(this.folder, 'etc'), command];
    const { status, stderr } = spawnSync('postfix', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`postfix ${command}: ${stderr}`);
  }
}
