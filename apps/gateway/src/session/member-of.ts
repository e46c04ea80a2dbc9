import type { MemberCaller } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';

/** The member who asks. */
export function memberOf({ caller }: Pick<Reading, 'caller'>): MemberCaller {
  if (caller.type !== 'member') throw new Problem('UNAUTHENTICATED');
  return caller;
}
