import { erasedAddress, schedulingPersons } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { eventView, readEvents } from './events/index.js';

const scan = statement<{ id: string | null; scanned: string | null }>(
  'persons.events',
  'SELECT id, scanned FROM person_events($1, $2, $3, $4)',
);

const mask = statement<object>(
  'persons.mask_events',
  `UPDATE calendar_events e SET version = e.version + 1, updated_at = greatest(e.updated_at, $5),
     content = content_without_person(e.content, $3, $4) || jsonb_build_object('overrides', coalesce(
       (SELECT jsonb_agg(content_without_person(one, $3, $4) ORDER BY n)
        FROM jsonb_array_elements(e.content->'overrides') WITH ORDINALITY AS list (one, n)), '[]'))
   WHERE e.tenant_id = $1 AND e.id = ANY ($2)`,
);

const lock = statement<object>(
  'persons.lock_events',
  'SELECT id FROM calendar_events WHERE tenant_id = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE',
);

const forget = statement<object>(
  'persons.forget_invitations',
  `WITH stamps AS (
     DELETE FROM invitation_stamps WHERE tenant_id = $1 AND lower(party) = $2
   )
   DELETE FROM unconfirmed_invitations u
   WHERE u.tenant_id = $1 AND strpos(lower(u.received::text), $2) > 0`,
);

/** Events that are looked at in one step. */
const scannedMax = 200;

const erased = JSON.stringify({ email: erasedAddress, name: null });

/** Events of correspondents: their export and erasure (`decisions.md` §9). */
export const PersonsHandlers = handlers(schedulingPersons, {
  export: async (context, { email, after: from }) => {
    const { ids, after } = await nextEvents(context, email, from);
    const events = await readEvents(context, ids);
    const lines = events.map((data) => JSON.stringify({ type: 'event', data: eventView(data) }));
    return { lines: lines.map((line) => `${line}\n`).join(''), after };
  },

  erase: async (context, { email, dryRun, after: from }) => {
    const { ids, after } = await nextEvents(context, email, from);
    const step = { messages: 0, mentions: 0, drafts: 0, contacts: 0, events: ids.length, after };
    if (dryRun) return step;
    await context.rows(lock, [ids]);
    await context.rows(mask, [ids, email, erased, context.at]);
    if (after === null) await context.rows(forget, [email]);
    return step;
  },
});

async function nextEvents({ rows }: Pick<Reading, 'rows'>, email: string, from: string) {
  const answered = await rows(scan, [email, from, scannedMax]);
  const ids = answered.flatMap(({ id }) => (id === null ? [] : [id]));
  return { ids, after: answered.find(({ id }) => id === null)?.scanned ?? null };
}
