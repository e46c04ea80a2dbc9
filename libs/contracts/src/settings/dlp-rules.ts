import { AnswerOf, Done, PageOf, WholeList } from '../answers.js';
import { Count, Flag, Id, Instant, ListOf, OneOf, Text, Texts, Version } from '../fields/index.js';
import { ChangeOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';

/** Detectors of a rule (`decisions.md` §4). */
export const dlpDetectors = [
  'card_number',
  'iban',
  'fr_ssn',
  'secret_key',
  'pattern',
  'attachment_type',
  'external_domain',
] as const;
export type DlpDetector = (typeof dlpDetectors)[number];

/** Effects of a hit on a send: the sender confirms it, or it is refused. */
export const dlpActions = ['warn', 'block'] as const;
export type DlpAction = (typeof dlpActions)[number];

/** Places in a message where a rule may hit. */
export const dlpPlaces = ['subject', 'body', 'attachments', 'recipients'] as const;
export type DlpPlace = (typeof dlpPlaces)[number];

/** Rules of a workspace: each is judged on each send. */
export const dlpRulesMax = 100;
const patternMax = 1000;
const mailboxesMax = 1000;
const addressMax = 254;
/** Code points of a text that is tried: it is looked through for each rule, and each find may cost a pass. */
const tryMax = 100_000;
/** Hits of a rule that are shown. */
const excerptsMax = 10;

const patternAbout =
  'What `pattern`, `attachment_type` and `external_domain` look for; null for the other detectors.';
const patternsAbout =
  '`pattern` takes an expression (RE2 syntax, which is linear in time: no look-around, no ' +
  'back-references), searched as it is written: `(?i)` for any letter case. `attachment_type` takes ' +
  'media types (`application/zip`, `image/*`), judged by what a file is, and extensions (`.exe`), ' +
  'comma-separated. `external_domain` takes the domains that are allowed, comma-separated: ' +
  '`example.com` is that domain alone, `*.example.com` all below it. The other detectors take none.';
const mailboxesAbout = 'Addresses of the mailboxes whose messages are judged; none: all of them.';
const actionAbout = '`warn`: the sender has to confirm the message; `block`: it is refused.';
const enabledAbout = 'Whether messages are judged by it.';

/** A rule of data-loss prevention: what may not leave, or not without a second look. */
export class DlpRule {
  @Id('dlp', 'The rule.')
  id!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @OneOf(dlpDetectors, 'What it looks for.')
  detector!: DlpDetector;

  @Text(patternAbout, { max: patternMax, nullable: true })
  pattern!: string | null;

  @OneOf(dlpActions, actionAbout)
  action!: DlpAction;

  @Texts(mailboxesAbout, { max: mailboxesMax, each: addressMax })
  mailboxes!: string[];

  @Flag(enabledAbout)
  enabled!: boolean;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}

/** Input of creation. */
export class CreateDlpRule {
  @Text('Name.', { max: 120, filled: true })
  name!: string;

  @OneOf(dlpDetectors, 'What it looks for.')
  detector!: DlpDetector;

  @Text(patternAbout, { max: patternMax, optional: true, nullable: true })
  pattern?: string | null;

  @OneOf(dlpActions, actionAbout)
  action!: DlpAction;

  @Texts(mailboxesAbout, { max: mailboxesMax, each: addressMax, default: [] })
  mailboxes!: string[];

  @Flag(enabledAbout, { default: true })
  enabled!: boolean;
}

/** Input of change: absent stays, `mailboxes` replaces the whole list. */
export class UpdateDlpRule extends ChangeOf('dlp', 'The rule.', CreateDlpRule, [
  'name',
  'detector',
  'pattern',
  'action',
  'mailboxes',
  'enabled',
]) {}

/** Input of a dry run. */
export class TryDlpRules {
  @Text(
    'A text, judged as the body of a message (HTML too); as the name of a file by rules on ' +
      'attachments, and as recipients where it has mail addresses.',
    { max: tryMax },
  )
  text!: string;
}

/** One rule. */
export class DlpRuleAnswer extends AnswerOf('rule', () => DlpRule, 'The rule.') {}

/** All rules of the workspace. */
export class DlpRuleList extends PageOf(() => DlpRule, 'Rules, first made first.', dlpRulesMax) {}

/** The hits that a rule would have. */
export class DlpTrial {
  @Id('dlp', 'The rule.')
  ruleId!: string;

  @Text('Its name.', { max: 120 })
  name!: string;

  @OneOf(dlpDetectors, 'What it looks for.')
  detector!: DlpDetector;

  @OneOf(dlpActions, actionAbout)
  action!: DlpAction;

  @Flag(enabledAbout)
  enabled!: boolean;

  @Count('How often it hits.', { max: Number.MAX_SAFE_INTEGER })
  count!: number;

  @Texts('The first hits, most of each masked.', { max: excerptsMax, each: 100 })
  excerpts!: string[];
}

/** A find of a rule in a message that it holds back. */
export class DlpFinding {
  @Text('Name of the rule.', { max: 120 })
  rule!: string;

  @OneOf(dlpPlaces, 'Where it was found; of a file its name, or its type.')
  place!: DlpPlace;

  @Text('What was found, most of it masked; empty where it is far into a long text.', { max: 100 })
  excerpt!: string;
}

/** The rules that a text would set off. */
export class DlpTrialList extends WholeList {
  @ListOf(() => DlpTrial, 'Rules that hit, disabled ones too, first made first.', {
    max: dlpRulesMax,
  })
  hits!: DlpTrial[];
}

/** Rules of data-loss prevention, judged on every message that is sent. */
export const dlpRules = family(
  'mail',
  'dlpRules',
  {
    list: operation({
      http: 'GET /dlp-rules',
      summary: 'List the rules of data-loss prevention',
      output: DlpRuleList,
    }),
    create: operation({
      http: 'POST /dlp-rules',
      success: 201,
      summary: 'Add a rule of data-loss prevention',
      description: patternsAbout,
      input: CreateDlpRule,
      output: DlpRuleAnswer,
      problems: ['TOO_MANY_DLP_RULES'],
    }),
    update: operation({
      http: 'PATCH /dlp-rules/:id',
      summary: 'Change a rule of data-loss prevention',
      description: patternsAbout,
      input: UpdateDlpRule,
      output: DlpRuleAnswer,
      problems: ['DLP_RULE_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /dlp-rules/:id',
      summary: 'Remove a rule of data-loss prevention',
      input: VersionOf('dlp', 'The rule.'),
      output: Done,
      problems: ['DLP_RULE_NOT_FOUND'],
    }),
    tryOut: operation({
      http: 'POST /dlp-rules/try',
      effect: 'read',
      summary: 'Show which rules a text would set off',
      input: TryDlpRules,
      output: DlpTrialList,
      // Rules are tried in turns with those of other workspaces.
      deadlineMs: 30_000,
    }),
  },
  { audience: 'member', admin: true },
);
