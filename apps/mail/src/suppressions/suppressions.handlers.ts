import { Problem, suppressions, suppressionSettings, type Suppression } from '@postroom/contracts';
import { handlers, requireRoomFor } from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { routingAddress } from '../routing-address.js';
import { addSuppressions, suppressionColumns, suppressionsOf } from '../stored-suppressions.js';

const list = statement<Suppression>(
  'suppressions.list',
  `SELECT ${suppressionColumns} FROM list_suppressions($1, $2, $3)`,
);

const remove = statement<{ messageId: string | null }>(
  'suppressions.remove',
  `DELETE FROM suppressions WHERE tenant_id = $1 AND address = $2 RETURNING message AS "messageId"`,
);

/** The suppressed addresses of a workspace. */
export const SuppressionsHandlers = handlers(suppressions, [PageTokens], (tokens) => ({
  list: async ({ rows, tenantId }, { limit, pageToken }) => {
    const query = ['suppressions.list', tenantId];
    const [after = ''] = tokens.read(query, pageToken);
    const found = await rows(list, [after, limit + 1]);
    const page = tokens.pageOf(query, found, limit, ({ address }) => [address]);
    return { suppressions: page.rows, nextPageToken: page.nextPageToken };
  },
}));

/** Changes of the list. The audit has no address, which could not be erased there. */
export const SuppressionSettingsHandlers = handlers(
  suppressionSettings,
  [MailConfig],
  ({ quotaStoredBytes }) => ({
    add: async (context, input) => {
      const address = routingAddress(input.address);
      await requireRoomFor(context, 'storedBytes', quotaStoredBytes, address.length);
      const at = context.at.toISOString();
      context.subject('member');
      await addSuppressions(context, [
        { address, reason: 'member', status: null, at, messageId: null },
      ]);
      const [suppression] = await suppressionsOf(context, [address]);
      if (!suppression) throw new Error('a suppression that was added is gone');
      return { suppression };
    },

    remove: async (context, input) => {
      const [removed] = await context.rows(remove, [routingAddress(input.address)]);
      if (!removed) throw new Problem('SUPPRESSION_NOT_FOUND');
      context.subject(removed.messageId ?? 'member');
      return { ok: true };
    },
  }),
);
