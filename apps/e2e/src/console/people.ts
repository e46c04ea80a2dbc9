import { randomUUID } from 'node:crypto';
import { type Person, type Product, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';

/** A member of one spec file, with a password of its own. */
export interface OwnMember extends Person {
  readonly id: string;
  readonly name: string;
}

export const adminOf = (
  product: Product,
  workspace: 'acme' | 'globex' = 'acme',
): Promise<SettingsApi> => SettingsApi.signIn(product, tenantOf(product, workspace).admin);

/** Adds a member with a password, to acme or the workspace given. */
export async function addMember(
  product: Product,
  wishes: {
    readonly name?: string;
    readonly role?: 'admin' | 'member';
    readonly canApprove?: boolean;
    readonly workspace?: 'globex';
  } = {},
): Promise<OwnMember> {
  const password = `long ${randomUUID()}`;
  const { workspace = 'acme', ...others } = wishes;
  const email = `member-${randomUUID()}@${workspace}.test`;
  const given = { name: 'Robin Reader', role: 'member', ...others };
  const admin = await adminOf(product, workspace);
  const { status, text } = await admin.post('/members', { email, password, ...given });
  if (status !== 201) throw new Error(`No member: ${status} ${text}`);
  const { member } = JSON.parse(text) as { readonly member: { readonly id: string } };
  return { id: member.id, name: given.name, email, password };
}
