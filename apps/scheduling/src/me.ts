import type { Caller } from '@postroom/access';

/** The member behind a caller. */
export interface Member {
  readonly id: string;
  readonly email: string;
  /** True for an administrator. */
  readonly isAdmin: boolean;
}

/** The member who asks, by a key or signed in; the gateway lets no key without one by. */
export function memberBehind(caller: Caller): Member {
  if (caller.type === 'member') {
    const { memberId: id, email, role } = caller;
    return { id, email, isAdmin: role === 'admin' };
  }
  if (!caller.member) throw new Error('a key without a member reached the scheduling service');
  return { ...caller.member, isAdmin: caller.admin };
}

/** Their address. */
export const meOf = (caller: Caller): string => memberBehind(caller).email;
