import { audit } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { PageTokens, statement } from '@postroom/persistence';
import { AuditBacklogs } from './audit-backlogs.js';
import { AuditChain } from './audit-chain.js';
import { entryColumns, headOf, type EntryRow } from './audit-rows.js';
import { auditEntryView } from './audit.view.js';
import { readChain, waitingHere, verifyChain } from './verify-audit.js';

const auditPage = statement<EntryRow>(
  'access.audit_page',
  `SELECT ${entryColumns('e')} FROM audit_page($1, $2, $3, $4, $5, $6, $7, $8) e`,
);

const filterNames = ['actor', 'action', 'from', 'to'] as const;

/** Entries of one part of an export, which is about 200 KiB. */
const exportedMax = 500;

/** The audit of a workspace, for its administrators. */
export const AuditHandlers = handlers(
  audit,
  [AuditChain, PageTokens, AuditBacklogs],
  (chain, tokens, backlogs) => ({
    list: async ({ rows, tenantId }, { limit, pageToken, ...given }) => {
      const filters = filterNames.map((name) => given[name] ?? null);
      const query = ['audit.list', tenantId, ...filters];
      const [at = null, id = null] = tokens.read(query, pageToken);
      const found = await rows(auditPage, [...filters, at, id, limit + 1]);
      const page = tokens.pageOf(query, found, limit, (last) => [last.at.toISOString(), last.id]);
      return { items: page.rows.map(auditEntryView), nextPageToken: page.nextPageToken };
    },

    export: async (context, { after }) => {
      const { entries, state, last } = await readChain(context, after, exportedMax);
      const lines: object[] = entries.map(auditEntryView);
      const head = last ? headOf(state) : null;
      if (head) {
        const { length, lastHash, mac } = head;
        const shown = { length, lastHash: lastHash.toString('hex'), hash: mac.toString('hex') };
        lines.push({ head: shown });
      }
      return {
        lines: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
        after: last ? null : (entries.at(-1)?.position ?? null),
      };
    },

    verify: async (context, { after }) => {
      const step = await verifyChain(context, { chain, after });
      if (step.after !== null) return { ...step, unsealed: 0 };
      const [here, elsewhere] = await Promise.all([waitingHere(context), backlogs.count(context)]);
      return { ...step, unsealed: here + elsewhere };
    },
  }),
);
