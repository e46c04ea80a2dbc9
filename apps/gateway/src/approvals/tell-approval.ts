import type { Changing } from '@postroom/operations';
import { tellMembers } from '../stream-log/index.js';
import type { ApprovalRow } from './approval-rows.js';

/** Tells the members who may read an approval that it was filed, decided or closed, by its state. */
export async function tellApproval(
  { rows }: Pick<Changing, 'rows'>,
  { withinType: type, withinId: id, ...row }: ApprovalRow,
): Promise<void> {
  const { state, operation, summary, keyId, keyName, decidedBy } = row;
  await tellMembers(
    { rows },
    {
      type: `approval.${state === 'pending' ? 'filed' : state}`,
      within: type === null || id === null ? null : { type, id },
      data: {
        approval: {
          ...{ id: row.id, state, operation, summary },
          requestedBy: { keyId, name: keyName },
          decidedBy,
        },
      },
    },
  );
}
