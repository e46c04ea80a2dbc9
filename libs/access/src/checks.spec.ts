import { describe, expect, it } from '@jest/globals';
import {
  conversations,
  scopeNames,
  sendSwitch,
  session,
  type Operation,
} from '@postroom/contracts';
import type { KeyCaller, MemberCaller } from './caller.js';
import {
  checksBeforeBody,
  needsApproval,
  requireMailbox,
  waitsForApproval,
  type CheckedRequest,
} from './checks.js';

const human: KeyCaller = {
  type: 'key',
  tenantId: 'ten_1',
  source: 'api',
  keyId: 'key_1',
  name: 'a key',
  kind: 'human',
  approval: null,
  scopes: scopeNames,
  grants: {},
  member: { id: 'mbr_1', email: 'ann@acme.test' },
  admin: false,
};
const agent: KeyCaller = { ...human, kind: 'agent', approval: 'required' };
const directAgent: KeyCaller = { ...human, kind: 'agent', approval: 'none' };
/** As no key should be: an agent that says nothing of approval. */
const vagueAgent: KeyCaller = { ...human, kind: 'agent', approval: null };

const member: MemberCaller = {
  type: 'member',
  tenantId: 'ten_1',
  source: 'app',
  memberId: 'mbr_1',
  email: 'ann@acme.test',
  name: 'Ann',
  role: 'member',
  canApprove: true,
  sessionId: 'ses_1',
};
const admin: MemberCaller = { ...member, role: 'admin' };

// Rows of the table, and those that it will have: of each, only what the checks read differs.
const { list, archive, comment } = conversations;
const send: Operation = { ...comment, effect: 'send', scope: 'mail:send', idempotency: 'send' };
const snooze: Operation = { ...archive, member: true };
const deleteCalendar: Operation = { ...archive, effect: 'destroy', approval: 'hidden' };

const key = 'a key of mine';

/** The code of the first check that refuses, as the gateway runs them; null when none does. */
function outcome(
  operation: Operation,
  caller: CheckedRequest['caller'],
  more: Partial<CheckedRequest> = {},
): unknown {
  const asked: CheckedRequest = {
    operation,
    caller,
    idempotencyKey: undefined,
    sendOpen: true,
    ...more,
  };
  try {
    for (const check of checksBeforeBody) check(asked);
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : error;

describe('the order of the checks before the body', () => {
  // An agent with every fault there is, which are then mended one after the other.
  const worst: KeyCaller = { ...agent, scopes: [], member: null };
  const operation: Operation = { ...send, approval: 'hidden', member: true };
  const shown: Operation = { ...operation, approval: 'eligible' };
  const scoped: KeyCaller = { ...worst, scopes: ['mail:send'] };
  const person: KeyCaller = { ...scoped, kind: 'human', approval: null };
  const attached: KeyCaller = { ...person, member: human.member };
  const closed = { sendOpen: false, idempotencyKey: 'short' };

  it.each([
    ['4: what is hidden does not exist', operation, worst, closed, 'ROUTE_NOT_FOUND'],
    ['5: the scope', shown, worst, closed, 'SCOPE_MISSING'],
    ['6: the kind of the key', shown, scoped, closed, 'AGENT_CANNOT_SEND'],
    ['6: then the send switch', shown, person, closed, 'SEND_SWITCH_CLOSED'],
    ['7: the member', shown, person, { ...closed, sendOpen: true }, 'MEMBER_IDENTITY_INCOMPLETE'],
    [
      '8: the Idempotency-Key',
      shown,
      attached,
      { ...closed, sendOpen: true },
      'IDEMPOTENCY_KEY_MALFORMED',
    ],
    ['nothing is left', shown, attached, { idempotencyKey: key }, null],
  ] as const)('step %s', (_step, asked, caller, more, code) => {
    expect(outcome(asked, caller, more)).toBe(code);
  });
});

describe('step 4, hidden operations', () => {
  it.each([
    ['an agent whose writes wait', agent, 'ROUTE_NOT_FOUND'],
    ['an agent that says nothing of approval', vagueAgent, 'ROUTE_NOT_FOUND'],
    ['an agent that acts directly', directAgent, null],
    ['a human key', human, null],
  ] as const)('for %s', (_who, caller, code) => {
    expect(outcome(deleteCalendar, caller)).toBe(code);
  });
});

describe('step 5, the scope', () => {
  it.each([...scopeNames.filter((scope) => scope !== 'write:conversations'), undefined])(
    'is missing with %s alone',
    (scope) => {
      const caller: KeyCaller = { ...human, scopes: scope ? [scope] : [] };
      expect(outcome(archive, caller)).toBe('SCOPE_MISSING');
    },
  );

  it('is there with the scope of the operation', () => {
    expect(outcome(archive, { ...human, scopes: ['write:conversations'] })).toBeNull();
  });

  it.each([human, { ...human, admin: true }, agent])(
    'is missing for any key on an operation without one, which is for members',
    (caller) => {
      expect(outcome(sendSwitch.get, caller)).toBe('SCOPE_MISSING');
    },
  );

  it.each([
    ['a member', sendSwitch.set, member, 'ADMIN_REQUIRED'],
    ['an administrator', sendSwitch.set, admin, null],
    ['a member, on an operation for all members', session.get, member, null],
  ] as const)('is the role for %s', (_who, operation, caller, code) => {
    expect(outcome(operation, caller)).toBe(code);
  });
});

describe('step 6, the right to send', () => {
  it.each([
    ['an agent whose writes wait', agent, true, 'AGENT_CANNOT_SEND'],
    ['an agent that acts directly', directAgent, true, 'AGENT_CANNOT_SEND'],
    ['an agent, the switch closed as well', directAgent, false, 'AGENT_CANNOT_SEND'],
    ['a human key', human, true, null],
    ['a human key, the switch closed', human, false, 'SEND_SWITCH_CLOSED'],
    ['a member, the switch closed', admin, false, 'SEND_SWITCH_CLOSED'],
  ] as const)('of %s', (_who, caller, sendOpen, code) => {
    expect(outcome(send, caller, { sendOpen, idempotencyKey: key })).toBe(code);
  });

  it('asks nothing of what does not send', () => {
    expect(outcome(archive, directAgent, { sendOpen: false })).toBeNull();
  });
});

describe('step 7, the member', () => {
  const unattached: KeyCaller = { ...human, member: null };

  it.each([
    ['a key attached to one', snooze, human, null],
    ['a key attached to nobody', snooze, unattached, 'MEMBER_IDENTITY_INCOMPLETE'],
    ['a key attached to nobody, where none is needed', archive, unattached, null],
    ['a member', snooze, member, null],
  ] as const)('of %s', (_who, operation, caller, code) => {
    expect(outcome(operation, caller)).toBe(code);
  });
});

describe('step 8, the Idempotency-Key', () => {
  it.each([
    ['a comment', comment, human, 'IDEMPOTENCY_KEY_REQUIRED'],
    ['a send', send, human, 'IDEMPOTENCY_KEY_REQUIRED'],
    ['another write of a human key', archive, human, null],
    ['another write of an agent that acts directly', archive, directAgent, null],
    ['any write of an agent whose writes wait', archive, agent, 'IDEMPOTENCY_KEY_REQUIRED'],
    [
      'a write of such an agent that never waits',
      { ...archive, approval: 'never' },
      agent,
      'IDEMPOTENCY_KEY_REQUIRED',
    ],
    ['a read', list, agent, null],
  ] as const)('is asked for, or not: %s', (_what, operation: Operation, caller, code) => {
    expect(outcome(operation, caller)).toBe(code);
    expect(outcome(operation, caller, { idempotencyKey: key })).toBeNull();
  });

  it.each([
    ['8 characters', '12345678'],
    ['200 characters', 'x'.repeat(200)],
    ['the first and the last printable one', ' !aaaa}~'],
    ['nothing but spaces', ' '.repeat(8)],
  ])('is well formed with %s', (_form, idempotencyKey) => {
    expect(outcome(comment, human, { idempotencyKey })).toBeNull();
  });

  it.each([
    ['no character', ''],
    ['7 characters', '1234567'],
    ['201 characters', 'x'.repeat(201)],
    ['a tab', 'before\tafter'],
    ['a line break at its end', '12345678\n'],
    ['a NUL', 'before\u0000after'],
    ['a DEL', 'before\u007fafter'],
    ['a letter outside ASCII', 'clé-de-moi'],
    ['an emoji', '12345678🙂'],
  ])('is malformed with %s, also where none is needed', (_form, idempotencyKey) => {
    expect(outcome(comment, human, { idempotencyKey })).toBe('IDEMPOTENCY_KEY_MALFORMED');
    expect(outcome(archive, human, { idempotencyKey })).toBe('IDEMPOTENCY_KEY_MALFORMED');
  });

  it('means nothing to a read, whatever its form', () => {
    expect(outcome(list, human, { idempotencyKey: '\n' })).toBeNull();
  });
});

describe('steps 10 and 11, the mailbox', () => {
  const caller: KeyCaller = {
    ...human,
    grants: { 'support@acme.test': 'read', 'sales@acme.test': 'write' },
  };

  it.each([
    ['reading what may be read', list, 'support@acme.test', null],
    ['reading what may be written', list, 'sales@acme.test', null],
    ['writing what may be written', archive, 'sales@acme.test', null],
    ['writing what may only be read', archive, 'support@acme.test', 'MAILBOX_READ_ONLY'],
    ['reading what is not granted', list, 'legal@acme.test', 'MAILBOX_FORBIDDEN'],
    ['writing what is not granted', archive, 'legal@acme.test', 'MAILBOX_FORBIDDEN'],
    ['a name every object has', list, 'constructor', 'MAILBOX_FORBIDDEN'],
    ['the name of its prototype', archive, '__proto__', 'MAILBOX_FORBIDDEN'],
    ['no name', list, '', 'MAILBOX_FORBIDDEN'],
    ['an operation that uses no mailbox', { ...list, mailbox: 'none' }, 'legal@acme.test', null],
  ] as const)('%s', (_what, operation: Operation, address, code) => {
    expect(refusal(() => requireMailbox(operation, caller, address))).toBe(code);
  });

  it('of a member is judged where it is known, not here', () => {
    expect(refusal(() => requireMailbox(archive, member, 'legal@acme.test'))).toBeNull();
  });
});

function refusal(check: () => void): unknown {
  try {
    check();
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

describe('step 13, approval', () => {
  it.each([
    ['an agent whose writes wait', agent, true],
    ['an agent that says nothing of it', vagueAgent, true],
    ['an agent that acts directly', directAgent, false],
    ['a human key', human, false],
    ['a human key, whatever its approval says', { ...human, approval: 'required' }, false],
    ['a member', member, false],
  ] as const)('is waited for by %s: %#', (_who, caller, waits) => {
    expect(waitsForApproval(caller)).toBe(waits);
    expect(needsApproval(archive, caller)).toBe(waits);
  });

  it('is not waited for on a read, or on an operation that never waits', () => {
    expect(needsApproval(list, agent)).toBe(false);
    expect(needsApproval({ ...archive, approval: 'never' }, agent)).toBe(false);
  });
});
