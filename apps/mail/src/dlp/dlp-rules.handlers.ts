import { dlpRules, newId, Problem } from '@postroom/contracts';
import { handlers, requireVersion, type Reading } from '@postroom/operations';
import { detectorOf } from './detect.js';
import { Dlp } from './dlp.js';
import {
  findRule,
  listRules,
  placesOfUnknown,
  removeRule,
  requireRoomForRule,
  writeRule,
} from './stored-rules.js';

/** Rules of data-loss prevention, as administrators keep them. */
export const DlpRulesHandlers = handlers(dlpRules, [Dlp], (dlp) => ({
  list: async (context) => ({ items: await listRules(context), nextPageToken: null }),

  create: async (context, { pattern = null, mailboxes, ...given }) => {
    const id = newId('dlp');
    context.subject(id);
    detectorOf(given.detector, pattern);
    await requireRoomForRule(context);
    const rule = { ...given, id, pattern, mailboxes: await knownMailboxes(context, mailboxes) };
    return { rule: await writeRule(context, rule) };
  },

  update: async (context, { id, ifMatch, ...given }) => {
    const found = await findRule(context, id);
    requireVersion(found, ifMatch);
    const rule = { ...found, ...given };
    detectorOf(rule.detector, rule.pattern);
    const mailboxes = given.mailboxes
      ? await knownMailboxes(context, given.mailboxes)
      : found.mailboxes;
    return { rule: await writeRule(context, { ...rule, mailboxes }) };
  },

  remove: async (context, { id, ifMatch }) => {
    requireVersion(await findRule(context, id), ifMatch);
    await removeRule(context, id);
    return { ok: true };
  },

  tryOut: async (context, { text }) => ({ hits: await dlp.trial(context, text) }),
}));

/**
 * Mailboxes as a rule keeps them: each once, in lower case.
 * @throws Problem INVALID_REQUEST which names those that are not there
 */
async function knownMailboxes(context: Reading, given: readonly string[]): Promise<string[]> {
  const addresses = given.map((address) => address.trim().toLowerCase());
  const places = await placesOfUnknown(context, addresses);
  if (places.length === 0) return [...new Set(addresses)];
  const message = { fr: 'boîte inconnue', en: 'there is no such mailbox' };
  throw new Problem('INVALID_REQUEST', {
    violations: places.slice(0, 20).map((place) => ({ field: `mailboxes.${place}`, message })),
  });
}
