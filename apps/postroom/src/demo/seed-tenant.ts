import { randomBytes } from 'node:crypto';
import {
  scopeNames,
  type KeyList,
  type MailboxList,
  type MemberList,
  type NewKey,
  type ResetLink,
  type SessionAnswer,
  type TeamList,
} from '@postroom/contracts';
import { fillAddressBooks } from './demo-contacts.js';
import type { RunningProduct } from '../in-process.js';
import type { Credentials, DemoKey, DemoTenant } from './demo-facts.js';
import { SettingsClient } from './settings-client.js';

const password = (): string => randomBytes(12).toString('base64url');

/**
 * Makes one demo workspace as a user would: by the invitation link, then through the settings API.
 * It may be repeated: existing records stay, passwords and keys are replaced.
 */
export async function seedTenant(
  access: RunningProduct['access'],
  settingsUrl: string,
  name: string,
): Promise<DemoTenant> {
  const settings = new SettingsClient(settingsUrl);
  const admin = { email: `admin@${name}.test`, password: password() };
  const token = await access.openWorkspace({
    name,
    adminEmail: admin.email,
    adminName: 'Ada Administrator',
  });
  const { tenant } = await accept(settings, token, admin);
  const member = { email: `member@${name}.test`, password: password() };
  await ensureMember(settings, settingsUrl, member);
  await ensureTeam(settings);
  // Mail on loopback cannot be authenticated.
  await settings.call('PATCH', '/workspace', { mailEffects: 'any' });
  const mailboxes = [`support@${name}.test`, `sales@${name}.test`];
  await access.giveDomain(tenant.id, `${name}.test`);
  await ensureMailboxes(settings, mailboxes);
  const keys = await makeKeys(settings, { admin, member, mailboxes });
  await fillAddressBooks(settings);
  return { id: tenant.id, name, admin, member, mailboxes, keys };
}

const accept = (
  settings: SettingsClient,
  token: string,
  { password }: Credentials,
): Promise<SessionAnswer> => settings.call('POST', '/invitations/accept', { token, password });

async function ensureMember(
  settings: SettingsClient,
  settingsUrl: string,
  member: Credentials,
): Promise<void> {
  const { items } = await settings.call<MemberList>('GET', '/members');
  const known = items.find(({ email }) => email === member.email);
  if (!known) {
    await settings.call('POST', '/members', {
      ...member,
      name: 'Max Member',
      role: 'member',
      canApprove: true,
    });
    return;
  }
  const { resetUrl } = await settings.call<ResetLink>('POST', `/members/${known.id}/reset-link`);
  const token = new URL(resetUrl).searchParams.get('token') ?? '';
  await accept(new SettingsClient(settingsUrl), token, member);
}

/** Makes one team with every member. */
async function ensureTeam(settings: SettingsClient): Promise<void> {
  const { items: teams } = await settings.call<TeamList>('GET', '/teams');
  if (teams.length > 0) return;
  const { items } = await settings.call<MemberList>('GET', '/members');
  await settings.call('POST', '/teams', { name: 'Support', memberIds: items.map(({ id }) => id) });
}

async function ensureMailboxes(settings: SettingsClient, addresses: string[]): Promise<void> {
  const { items } = await settings.call<MailboxList>('GET', '/mailboxes');
  const known = new Set(items.map(({ address }) => address));
  for (const address of addresses.filter((one) => !known.has(one))) {
    await settings.call('POST', '/mailboxes', { address, name: address.split('@', 1)[0] });
  }
}

interface Holders {
  readonly admin: Credentials;
  readonly member: Credentials;
  readonly mailboxes: readonly string[];
}

/** The five keys of `decisions.md` §10. */
async function makeKeys(
  settings: SettingsClient,
  { admin, member, mailboxes }: Holders,
): Promise<Record<DemoKey, string>> {
  const everywhere = mailboxes.map((address) => ({ address, access: 'write' }));
  const allButSend = scopeNames.filter((scope) => scope !== 'mail:send');
  const agent = { kind: 'agent', scopes: allButSend, member: member.email, mailboxes: everywhere };
  const wanted: Record<DemoKey, object> = {
    admin: { scopes: scopeNames, admin: true, member: admin.email, mailboxes: everywhere },
    human: { scopes: allButSend, member: member.email, mailboxes: everywhere },
    readOnly: {
      scopes: ['read:conversations'],
      mailboxes: [{ address: mailboxes[0], access: 'read' }],
    },
    agent: { ...agent, approval: 'required' },
    agentDirect: { ...agent, approval: 'none' },
  };
  await revokeKeys(settings);
  const made: Partial<Record<DemoKey, string>> = {};
  for (const [name, key] of Object.entries(wanted) as [DemoKey, object][]) {
    const { secret } = await settings.call<NewKey>('POST', '/keys', {
      name: `${keyPrefix}${name}`,
      ...key,
    });
    made[name] = secret;
  }
  return made as Record<DemoKey, string>;
}

const keyPrefix = 'Demo ';

/** Revokes the keys of an interrupted seeding, whose secrets are lost; other keys stay. */
async function revokeKeys(settings: SettingsClient): Promise<void> {
  const { items } = await settings.call<KeyList>('GET', '/keys');
  const old = items.filter(({ name, revokedAt }) => !revokedAt && name.startsWith(keyPrefix));
  for (const { id } of old) await settings.call('DELETE', `/keys/${id}`);
}
