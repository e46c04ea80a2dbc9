import { Controller } from '@nestjs/common';
import {
  dlpRules,
  newId,
  Problem,
  type CreateDlpRule,
  type DlpRuleAnswer,
  type DlpRuleList,
  type DlpTrialList,
  type Done,
  type ListDlpRules,
  type RemoveDlpRule,
  type TryDlpRules,
  type UpdateDlpRule,
} from '@postroom/contracts';
import { Handles, requireVersion, type Reading, type Writing } from '@postroom/operations';
import { detectorOf } from './detect.js';
import { Dlp } from './dlp.js';
import {
  findRule,
  listRules,
  placesOfUnknown,
  removeRule,
  requirePlace,
  writeRule,
} from './kept-rules.js';

/** Rules of data-loss prevention, as administrators keep them. */
@Controller()
export class DlpRulesHandlers {
  constructor(private readonly dlp: Dlp) {}

  @Handles(dlpRules.list)
  async list(context: Reading, _input: ListDlpRules): Promise<DlpRuleList> {
    return { items: await listRules(context), nextPageToken: null };
  }

  @Handles(dlpRules.create)
  async create(
    context: Writing<typeof dlpRules.create>,
    { pattern = null, mailboxes, ...given }: CreateDlpRule,
  ): Promise<DlpRuleAnswer> {
    const id = newId('dlp');
    context.subject(id);
    detectorOf(given.detector, pattern);
    await requirePlace(context);
    const rule = { ...given, id, pattern, mailboxes: await known(context, mailboxes) };
    return { rule: await writeRule(context, rule) };
  }

  @Handles(dlpRules.update)
  async update(
    context: Writing<typeof dlpRules.update>,
    { id, ifMatch, ...given }: UpdateDlpRule,
  ): Promise<DlpRuleAnswer> {
    const found = await findRule(context, id);
    requireVersion(found, ifMatch);
    const rule = { ...found, ...given };
    detectorOf(rule.detector, rule.pattern);
    const mailboxes = given.mailboxes ? await known(context, given.mailboxes) : found.mailboxes;
    return { rule: await writeRule(context, { ...rule, mailboxes }) };
  }

  @Handles(dlpRules.remove)
  async remove(
    context: Writing<typeof dlpRules.remove>,
    { id, ifMatch }: RemoveDlpRule,
  ): Promise<Done> {
    requireVersion(await findRule(context, id), ifMatch);
    await removeRule(context, id);
    return { ok: true };
  }

  @Handles(dlpRules.tryOut)
  async tryOut(context: Reading, { text }: TryDlpRules): Promise<DlpTrialList> {
    return { hits: await this.dlp.trial(context, text) };
  }
}

/**
 * Mailboxes as a rule keeps them: each once, in lower case.
 * @throws Problem INVALID_REQUEST which names those that are not there
 */
async function known(context: Reading, given: readonly string[]): Promise<string[]> {
  const addresses = given.map((address) => address.trim().toLowerCase());
  const places = await placesOfUnknown(context, addresses);
  if (places.length === 0) return [...new Set(addresses)];
  const message = { fr: 'boîte inconnue', en: 'there is no such mailbox' };
  throw new Problem('INVALID_REQUEST', {
    violations: places.slice(0, 20).map((place) => ({ field: `mailboxes.${place}`, message })),
  });
}
