import { randomUUID } from 'node:crypto';
import { type Person, type Product, tenantOf } from '../product.js';
import { SettingsApi } from '../settings-api.js';

/** A member of one spec file, with a password of its own. */
export interface OwnMember extends Person {
  readonly id: string;
  readonly name: string;
}

export const adminOf = (product: Product): Promise<SettingsApi> =>
  SettingsApi.signIn(product, tenantOf(product, 'acme').admin);

/** Adds a member of acme with a password. */
export async function addMember(
  product: Product,
  wishes: { readonly name?: string; readonly role?: 'admin' | 'member' } = {},
): Promise<OwnMember> {
  const password = `long ${randomUUID()}`;
  const email = `member-${randomUUID()}@acme.test`;
  const given = { name: 'Robin Reader', role: 'member', ...wishes };
  const admin = await adminOf(product);
  const { status, text } = await admin.post('/members', { email, password, ...given });
  if (status !== 201) throw new Error(`No member: ${status} ${text}`);
  const { member } = JSON.parse(text) as { readonly member: { readonly id: string } };
  return { id: member.id, name: given.name, email, password };
}
