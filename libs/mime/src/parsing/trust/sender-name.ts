import type { Address } from '../parsed-message.js';
import { domainOf, siteOf } from './domains.js';

const addressInName = /[\w.%+-]{1,64}@((?:[\w-]{1,63}\.){1,5}[a-z]{2,24})/i;

/** Whether a display name names an address of another site than the one it stands before. */
export function contradictsAddress({ name, email }: Address): boolean {
  const named = addressInName.exec((name ?? '').slice(0, 400))?.[1];
  return named !== undefined && siteOf(named) !== siteOf(domainOf(email));
}
