import { domainToASCII } from 'node:url';
import { AnswerOf, Done, PageOf } from '../answers.js';
import { Flag, HeaderText, Id, Instant, OneOf, Part, Text, Version } from '../fields/index.js';
import type { Violation } from '../fields/index.js';
import { IdOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';

/** RFC 1035 §2.3.4. */
const nameMax = 253;
/** Domains of a workspace. */
export const domainsMax = 100;

export const domainStates = ['pending', 'verified'] as const;
export type DomainState = (typeof domainStates)[number];

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostForm = new RegExp(String.raw`^(?:${label}\.)+(?!\d+$)${label}$`);

/** A domain as the name system spells it: lower case, in ASCII (RFC 5891); null for what is none. */
export function domainName(text: string): string | null {
  const name = domainToASCII(text.trim().toLowerCase());
  return name.length <= nameMax && hostForm.test(name) ? name : null;
}

/** The DNS record that proves a domain. */
export class DomainRecord {
  @OneOf(['TXT'], 'Type.')
  type!: 'TXT';

  @Text('Name.', { max: 300 })
  name!: string;

  @Text('Value; other records of the name do not matter.', { max: 200 })
  value!: string;
}

/** A domain of the workspace. */
export class Domain {
  @Id('dom', 'The domain.')
  id!: string;

  @Text('Name, as the name system spells it.', { max: nameMax })
  name!: string;

  @OneOf(domainStates, 'Whether it has been proved, or given by the operator.')
  state!: DomainState;

  @Part(() => DomainRecord, 'The record that proves it.')
  record!: DomainRecord;

  @Instant('When it was proved or given.', { nullable: true })
  verifiedAt!: string | null;

  @Instant('Creation.')
  createdAt!: string;

  @Version()
  version!: number;
}

/** Input of creation. */
export class CreateDomain {
  @HeaderText('Name, such as `example.org`; its subdomains are domains of their own.', {
    max: nameMax,
    filled: true,
  })
  name!: string;
}

/** Input of removal. */
export class RemoveDomain extends VersionOf('dom', 'The domain.') {
  @Flag('Remove it although mailboxes depend on it.', { default: false })
  force!: boolean;
}

/** One domain. */
export class DomainAnswer extends AnswerOf('domain', () => Domain, 'The domain.') {}

/** All domains of the workspace. */
export class DomainList extends PageOf(() => Domain, 'Domains, by name.', domainsMax) {}

const domainFaults = ({ name }: CreateDomain): readonly Violation[] =>
  domainName(name) === null
    ? [
        {
          field: 'name',
          message: { fr: 'nom de domaine attendu', en: 'expected the name of a domain' },
        },
      ]
    : [];

/** Input of the question whose a domain is. */
export class GetDomainOwner {
  @Text('Name, as the name system spells it.', { max: nameMax })
  name!: string;
}

/** The answer whose a domain is. */
export class DomainOwner {
  @Id('ten', 'The workspace that has proved it, or was given it; null for none.', {
    nullable: true,
  })
  tenantId!: string | null;
}

/** The question of the gateway which workspace an address belongs to, before a sign-in. */
export const domainOwners = family(
  'mail',
  'domainOwners',
  {
    get: operation({
      http: 'GET /services/mail/domain-owner',
      summary: 'Read which workspace has proved a domain',
      input: GetDomainOwner,
      output: DomainOwner,
    }),
  },
  { audience: 'service' },
);

/** Domains that mail arrives for and leaves from by the deployment's servers (`decisions.md` §9). */
export const domains = family(
  'mail',
  'domains',
  {
    list: operation({
      http: 'GET /domains',
      summary: 'List the domains',
      output: DomainList,
    }),
    create: operation({
      http: 'POST /domains',
      success: 201,
      summary: 'Add a domain',
      description:
        'It is `pending` until its record is found; then no other workspace has it. In a sandbox a name below ' +
        '`sandbox.invalid` needs no record.',
      input: CreateDomain,
      output: DomainAnswer,
      rule: domainFaults,
      problems: ['DOMAIN_EXISTS', 'DOMAIN_TAKEN', 'TOO_MANY_DOMAINS'],
    }),
    verify: operation({
      http: 'POST /domains/:id/verify',
      summary: 'Look for the record that proves a domain',
      description: 'A domain that has been verified stays so: nothing is looked for again.',
      input: IdOf('dom', 'The domain.'),
      output: DomainAnswer,
      problems: [
        'DOMAIN_NOT_FOUND',
        'DOMAIN_TAKEN',
        'DOMAIN_RECORD_MISSING',
        'NAME_SERVERS_UNAVAILABLE',
      ],
    }),
    remove: operation({
      http: 'DELETE /domains/:id',
      summary: 'Remove a domain',
      description: `Its mailboxes stay, and neither take mail in nor leave through the deployment’s servers
any more: while there are mailboxes that have no server of their own, a verified domain is refused without
\`force=true\`.`,
      input: RemoveDomain,
      output: Done,
      problems: ['DOMAIN_NOT_FOUND', 'DOMAIN_IN_USE'],
    }),
  },
  { audience: 'member', admin: true },
);
