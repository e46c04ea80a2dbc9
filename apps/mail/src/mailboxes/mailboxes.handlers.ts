import {
  mailboxes,
  newId,
  Problem,
  type CreateMailbox,
  type MailboxAnswer,
  type MemberAccess,
  type UpdateMailbox,
} from '@postroom/contracts';
import {
  handlers,
  isUniqueViolation,
  requireRoom,
  requireVersion,
  type Writing,
} from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { MailConfig } from '../config.js';
import { domainHolder, domainOfAddress, requireOurDomain } from '../domains/index.js';
import { routingAddress, withoutSubAddress } from '../routing-address.js';
import { keepAccount, lockMailbox } from './keep-account.js';
import { MailServerTargets } from './mail-server-targets.js';
import { MailboxSecrets } from './mailbox-secrets.js';
import { MailboxAccountEntity } from './mailbox-account.entity.js';
import { MailboxEntity, mailboxView } from './mailbox.entity.js';

/** Settings of the shared mailboxes. Names of servers are resolved with no transaction open. */
export const MailboxesHandlers = handlers(
  mailboxes,
  [MailboxSecrets, MailServerTargets, MailConfig],
  (secrets, targets, config) => ({
    list: async (context) => {
      const [found, accounts] = await context.entities(async (manager) => [
        await manager.find(MailboxEntity, { order: { address: 'ASC' } }),
        await manager.find(MailboxAccountEntity),
      ]);
      const accountOf = new Map(accounts.map((account) => [account.mailboxId, account]));
      const items = found.map((one) => mailboxView(one, accountOf.get(one.id) ?? null));
      return { items, nextPageToken: null };
    },

    create: {
      prepare: async (_context, input) => {
        await targets.require(input);
        return async (context) => {
          await requireRoom(context, 'mailboxes', config.quotaMailboxes);
          return create(context, input, secrets);
        };
      },
    },

    update: {
      prepare: async (_context, input) => {
        await targets.require(input);
        return async (context) => update(context, input, secrets);
      },
    },

    remove: async (context, { id, ifMatch }) => {
      requireVersion(await lockMailbox(context, id), ifMatch);
      await context.rows(deleteMailbox, [id, context.at]);
      return { ok: true };
    },
  }),
);

async function create(
  context: Writing,
  input: CreateMailbox,
  secrets: MailboxSecrets,
): Promise<MailboxAnswer> {
  const { manager, tenantId, at } = context;
  await requireAddress(context, input);
  const { address, name = address, automation, access, retentionDays = null } = input;
  const mailbox = manager.create(MailboxEntity, {
    id: newId('mbx'),
    tenantId,
    address,
    routingAddress: routingAddress(address),
    name,
    automation,
    access,
    outgoing: null,
    imap: null,
    dkim: null,
    retentionDays,
    createdAt: at,
    updatedAt: at,
  });
  secrets.apply(mailbox, input);
  await manager.insert(MailboxEntity, mailbox).catch(refuseTakenAddress);
  const account = await keepAccount(context, mailbox, null);
  context.subject(mailbox.id);
  return { mailbox: mailboxView(mailbox, account) };
}

async function update(
  context: Writing,
  input: UpdateMailbox,
  secrets: MailboxSecrets,
): Promise<MailboxAnswer> {
  const { manager, at } = context;
  const mailbox = await lockMailbox(context, input.id);
  requireVersion(mailbox, input.ifMatch);
  const { name = mailbox.name, automation = mailbox.automation } = input;
  const { retentionDays = mailbox.retentionDays } = input;
  const access = accessAfter(context, mailbox, input);
  Object.assign(mailbox, { name, automation, access, retentionDays, updatedAt: at });
  const before = mailbox.imap;
  secrets.apply(mailbox, input);
  const isCleared = input.outgoing === null || input.imap === null;
  if (isCleared && !mailbox.outgoing && !mailbox.imap) {
    await requireOurDomain(context, mailbox.address);
  }
  await manager.save(mailbox);
  return { mailbox: mailboxView(mailbox, await keepAccount(context, mailbox, before)) };
}

const deleteMailbox = statement<object>('mailboxes.delete', 'SELECT delete_mailbox($1, $2, $3)');

/** Removed members leave the access list when it is written. */
function accessAfter(
  { allowUnknown }: Pick<Writing, 'allowUnknown'>,
  { access: before }: MailboxEntity,
  { access = before }: UpdateMailbox,
): MemberAccess {
  const gone = allowUnknown('access', before === 'workspace' ? [] : before);
  return access === 'workspace' ? access : access.filter((id) => !gone.includes(id));
}

const lockAddress = statement<object>(
  'mailboxes.lock_address',
  `SELECT take_lock('mailbox ' || $2), $1::text`,
);

const takenElsewhere = statement<{ taken: boolean }>(
  'mailboxes.taken_elsewhere',
  'SELECT taken_elsewhere($1, $2) AS taken',
);

/**
 * The workspace that has a domain has its addresses. A mailbox of a domain without a workspace needs an account
 * of its own: the deployment's servers do not serve it.
 * @throws Problem DOMAIN_TAKEN, DOMAIN_NOT_VERIFIED, MAILBOX_EXISTS
 */
async function requireAddress(
  context: Writing,
  { address, outgoing, imap }: CreateMailbox,
): Promise<void> {
  const holder = await domainHolder(context, domainOfAddress(address));
  if (holder === 'us') return;
  if (holder === 'others') throw new Problem('DOMAIN_TAKEN');
  if (!outgoing && !imap) throw new Problem('DOMAIN_NOT_VERIFIED');
  await refuseTakenElsewhere(context, address);
}

/**
 * Mail for a sub-address goes to its mailbox, so another workspace cannot have the sub-address, nor the
 * reverse. The lock makes concurrent requests of two workspaces see each other.
 */
async function refuseTakenElsewhere({ rows }: Writing, address: string): Promise<void> {
  const base = withoutSubAddress(routingAddress(address));
  await rows(lockAddress, [base]);
  const [found] = await rows(takenElsewhere, [base]);
  if (found?.taken) throw new Problem('MAILBOX_EXISTS');
}

function refuseTakenAddress(error: unknown): never {
  if (isUniqueViolation(error, 'mailboxes_address')) {
    throw new Problem('MAILBOX_EXISTS', { cause: error });
  }
  throw error;
}
