import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key and its certificate (PEM). */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Certificates of an authority that the spec trusts, and of one that nobody does. */
export interface Certificates {
  readonly ca: string;
  readonly valid: Certificate;
  readonly expired: Certificate;
  readonly otherHost: Certificate;
  readonly selfSigned: Certificate;
}

/** Makes them with openssl; the valid one is for 127.0.0.1. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-certificates-'));
  const at = (file: string): string => join(folder, file);
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  const request = (name: string): void =>
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  const signed = (name: string, host: string, dates: readonly string[]): Certificate => {
    request(name);
    writeFileSync(at(`${name}.ext`), `subjectAltName=${host}\n`);
    const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, ...dates, '-out', `${name}.crt`);
    return read(name);
  };
  const read = (name: string): Certificate => ({
    key: readFileSync(at(`${name}.key`), 'utf8'),
    cert: readFileSync(at(`${name}.crt`), 'utf8'),
  });
  try {
    const ten = ['-days', '10'];
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
      '-subj',
      '/CN=ca',
      ...ten,
    );
    const own = ['-keyout', 'own.key', '-out', 'own.crt', '-subj', '/CN=127.0.0.1', ...ten];
    openssl('req', '-x509', ...key, ...own, '-addext', 'subjectAltName=IP:127.0.0.1');
    return {
      ca: readFileSync(at('ca.crt'), 'utf8'),
      valid: signed('valid', 'IP:127.0.0.1', ten),
      expired: signed('expired', 'IP:127.0.0.1', ['-days', '-1']),
      otherHost: signed('other', 'DNS:other.example', ten),
      selfSigned: read('own'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
