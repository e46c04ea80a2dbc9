import type { Entry } from './audit-query.js';

/** Nouns of the families of operations. */
const nouns: Readonly<Record<string, string>> = {
  ...{ conversations: 'conversation', bulk: 'conversation', drafts: 'draft', uploads: 'file' },
  ...{ contacts: 'contact', senderContacts: 'contact', addressBooks: 'address book' },
  ...{ calendars: 'calendar', calendarEvents: 'event', tasks: 'task', labels: 'label' },
  ...{ members: 'member', teams: 'team', mailboxes: 'mailbox', domains: 'domain', keys: 'key' },
  ...{ webhooks: 'webhook', signatureSettings: 'signature', dlpRules: 'rule for what may leave' },
  ...{ sessions: 'session', passkeys: 'passkey', approvals: 'request', workspace: 'workspace' },
  ...{ memberInvitations: 'invitation of a member', calendarFeeds: 'address of a calendar' },
  ...{ invitations: 'invitation by mail', contactMerging: 'contact', imports: 'import of mail' },
};

const verbs: Readonly<Record<string, string>> = {
  ...{ create: 'added', update: 'changed', remove: 'removed', delete: 'removed', make: 'made' },
  ...{ archive: 'archived', reopen: 'reopened', move: 'moved', snooze: 'snoozed', merge: 'merged' },
  ...{ assign: 'assigned', label: 'changed the labels of', comment: 'commented on' },
  ...{ unsnooze: 'ended the snooze of', read: 'marked as read or unread', unmerge: 'took apart' },
  ...{ verify: 'verified', give: 'was given', take: 'lost', rename: 'renamed', change: 'changed' },
  ...{ revoke: 'revoked', renew: 'renewed', disable: 'disabled', restore: 'restored' },
  ...{
    rotateSecret: 'made a new secret for',
    test: 'tested',
    resetLink: 'made a sign-in link for',
  },
  ...{
    run: 'began',
    stop: 'stopped',
    confirm: 'confirmed',
    purge: 'purged',
    cloned: 'saw a copy of',
  },
  ...{ approve: 'approved', reject: 'rejected', decide: 'decided about', cancel: 'cancelled' },
  ...{ file: 'asked for', expire: 'let expire', fail: 'could not carry out', refuse: 'refused' },
};

/** Sentences that are not made of a verb and a noun. */
const whole: Readonly<Record<string, string>> = {
  'session.create': 'signed in',
  'session.passkey': 'signed in with a passkey',
  'session.accept': 'accepted an invitation',
  'session.end': 'signed out',
  'oidcSessions.begin': 'signed in by the provider',
  'passwordReset.request': 'asked for a new password',
  'passwordReset.accept': 'chose a new password',
  'account.update': 'changed their profile',
  'account.changePassword': 'changed their password',
  'totp.begin': 'began to set up a code application',
  'totp.confirm': 'set up a code application',
  'totp.remove': 'removed the code application',
  'secondFactor.renewRecoveryCodes': 'made new recovery codes',
  'secondFactor.reset': 'reset a member’s second factor',
  'member.signInRefused': 'was refused at sign-in',
  'member.secondFactorRefused': 'gave a wrong second factor',
  'signInSettings.set': 'changed how members sign in',
  'sendSwitch.set': 'opened or closed sending',
  'workspace.create': 'made the workspace',
  'workspace.update': 'changed the settings of the workspace',
  'workspace.invite': 'invited the first administrator',
  'approvals.file': 'asked for a change',
  'drafts.create': 'wrote a draft',
  'draftSends.send': 'sent a draft',
  'draftSends.unsend': 'took back a draft that was to be sent',
  'sends.create': 'sent a message',
  'sends.reply': 'sent a reply',
  'unknownSends.settle': 'settled what became of a message',
  'contactTransfer.import': 'imported contacts',
  'calendarTransfer.import': 'imported events',
  'keptSenders.keep': 'kept a sender as a contact',
  'deliveries.redeliver': 'sent an event to a webhook again',
  'deliveries.redeliverFailed': 'sent failed events to a webhook again',
  'webhookTests.emit': 'sent a test event to the webhooks',
  'persons.erase': 'erased the data of a person',
  'retention.purge': 'removed what is kept no longer',
  'connections.allow': 'connected an assistant',
  'connections.begin': 'began to work as an assistant',
  'sandboxes.create': 'made a sandbox',
  'connections.end': 'disconnected an assistant',
  'connections.misused': 'cut an assistant off: one of its tokens was used twice',
  'sandbox.clock': 'moved the clock of the sandbox',
  'sandboxMail.receive': 'had the sandbox receive a mail',
  'mailboxSyncs.setRole': 'said what a folder of an account is for',
  'key.refused': 'was refused a request',
  'key.rateLimited': 'was slowed down: too many requests',
  'tool.done': 'used a tool',
  'tool.filed': 'asked for a change by a tool',
  'tool.refused': 'was refused a tool',
  'tool.failed': 'used a tool, which failed',
};

/** The rest of a sentence that begins with the actor, as "changed the key “CRM”". */
export function deedOf({ action, subjectName }: Pick<Entry, 'action' | 'subjectName'>): string {
  const [family = '', name = ''] = action.split('.', 2);
  const words = whole[action];
  if (words !== undefined) return words;
  const [verb, noun] = [verbs[name], nouns[family]];
  if (verb === undefined || noun === undefined) return `did ${action}`;
  if (subjectName !== null) return `${verb} the ${noun} “${subjectName}”`;
  return `${verb} ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

const knownActions = [
  ...Object.keys(whole),
  ...['conversations.archive', 'conversations.assign', 'conversations.comment'],
  ...['conversations.label', 'conversations.snooze', 'conversations.move', 'drafts.update'],
  ...['contacts.create', 'contacts.update', 'tasks.create', 'tasks.update'],
  ...['calendarEvents.create', 'calendarEvents.update', 'approvals.file', 'approvals.approve'],
  ...['approvals.reject', 'keys.create', 'keys.update', 'keys.revoke', 'members.create'],
  ...['members.update', 'members.remove', 'mailboxes.create', 'mailboxes.update'],
  ...['webhooks.create', 'webhooks.update', 'dlpRules.create', 'dlpRules.update'],
];

/** Actions to choose from, those that are seen among them. */
export const actionChoices = (
  seen: readonly string[],
): readonly { readonly value: string; readonly label: string }[] =>
  [...new Set([...knownActions, ...seen])]
    .map((action) => {
      const deed = deedOf({ action, subjectName: null });
      return { value: action, label: deed.charAt(0).toUpperCase() + deed.slice(1) };
    })
    .toSorted((one, other) => one.label.localeCompare(other.label));

/** The page that shows what an entry is about. */
export function pageOf(id: string | null): string | null {
  const [kind = '', rest] = id?.split('_', 2) ?? [];
  const place = places[kind];
  return rest === undefined || place === undefined ? null : `${place}${id ?? ''}`;
}

const places: Readonly<Record<string, string>> = {
  ...{
    cnv: '/inbox/all/',
    apr: '/approvals/',
    key: '/keys/',
    ctc: '/contacts/',
    whk: '/webhooks/',
  },
};
