import { describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { newApiKey } from '@postroom/access';
import { newId } from '@postroom/contracts';
import { judgedText } from '../judged-content.js';
import { secretKeys } from './secret-key.js';

const found = (text: string): string[] => [...secretKeys(judgedText(text))];

const alnum = (length: number): string => 'aB3dE5fG7hJ9'.repeat(20).slice(0, length);
/** Put together here, so that no scanner of sources takes them for secrets. */
const token = (start: string, length: number): string => [start, alnum(length)].join('');

describe('secret keys', () => {
  it('are found in PEM blocks; public ones are no secret', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(found(`Here it is:\n${pem}`)).toEqual(['-----BEGIN PRIVATE KEY-----']);
    expect(found(publicKey.export({ type: 'spki', format: 'pem' }).toString())).toEqual([]);
    for (const kind of ['RSA', 'EC', 'OPENSSH', 'ENCRYPTED', 'DSA']) {
      expect(found(`-----BEGIN ${kind} PRIVATE KEY-----`)).toHaveLength(1);
    }
    expect(found('-----BEGIN PGP PRIVATE KEY BLOCK-----')).toHaveLength(1);
  });

  it('are keys of ours, by their checksum', () => {
    for (const kind of ['human', 'agent'] as const) {
      const key = newApiKey(kind, newId('key').slice(4)).token;
      expect(found(`key=${key}.`)).toEqual([key]);
      const last = key.endsWith('a') ? 'b' : 'a';
      expect(found(`${key.slice(0, -1)}${last}`)).toEqual([]);
    }
  });

  it.each([
    ['AWS', ['AKIA', 'ABCDEFGH234567QR'].join('')],
    ['AWS secret', `aws_secret_access_key = "${alnum(40)}"`],
    ['GitHub', token('ghp_', 36)],
    ['GitHub, fine-grained', token('github_pat_', 82)],
    ['Stripe', token('sk_live_', 24)],
    ['Stripe, restricted', token('rk_test_', 99)],
    ['a webhook', `${token('whsec_', 43)}=`],
    ['Slack', token('xoxb-123456789012-', 24)],
    ['Slack webhook', `https://hooks.slack.com/services/T${alnum(8)}/B${alnum(8)}/${alnum(24)}`],
    ['Google', token('AIza', 35)],
    ['Google OAuth', token('GOCSPX-', 28)],
    ['GitLab', token('glpat-', 20)],
    ['npm', token('npm_', 36)],
    ['OpenAI', token('sk-proj-', 48)],
    ['SendGrid', `${token('SG.', 22)}.${alnum(43)}`],
    ['Azure', `AccountKey=${alnum(86)}==`],
  ])('of %s are found', (_name, key) => {
    expect(found(`config: ${key}\nend`)).toHaveLength(1);
  });

  it('are none in ordinary words and links', () => {
    for (const text of [
      'the task-force met; risk-based; sk-8',
      'https://example.com/AKIA',
      'ghp_short',
      'BEGIN PRIVATE KEY',
      'pr_human_resources',
    ]) {
      expect(found(text)).toEqual([]);
    }
  });
});
