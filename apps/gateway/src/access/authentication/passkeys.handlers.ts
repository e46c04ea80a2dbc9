import {
  newId,
  passkeys,
  passkeysMax,
  Problem,
  type NewPasskey,
  type Passkey,
} from '@postroom/contracts';
import { handlers, isUniqueViolation, type Writing } from '@postroom/operations';
import { PasskeyEntity, SessionEntity } from '../entities.js';
import { noteFactor } from '../notices/notice.js';
import { memberOf } from '../session.handlers.js';
import { challengeMs, Passkeys } from './passkeys.js';
import { endRecoveryCodes, ownFactors, renewCodes } from './second-factor.js';

const view = ({ id, name, createdAt, usedAt }: PasskeyEntity): Passkey => ({
  ...{ id, name, createdAt: createdAt.toISOString(), usedAt: usedAt?.toISOString() ?? null },
});

/** Keeps the challenge of options in the session that they are for. */
export async function keepChallenge(
  context: Pick<Writing, 'manager' | 'caller'>,
  options: Readonly<{ challenge: string }>,
): Promise<{ options: Readonly<Record<string, unknown>> }> {
  const { manager } = context;
  const kept = {
    challenge: options.challenge,
    challengeUntil: new Date(Date.now() + challengeMs),
  };
  await manager.update(SessionEntity, { id: memberOf(context).sessionId ?? '' }, kept);
  return { options: { ...options } };
}

/** Passkeys of the signed-in member. */
export const PasskeysHandlers = handlers(passkeys, [Passkeys], (registry) => ({
  list: (context) =>
    context.entities(async (manager) => {
      const { memberId } = memberOf(context);
      const found = await manager.find(PasskeyEntity, {
        where: { memberId },
        order: { id: 'ASC' },
      });
      return { items: found.map(view), nextPageToken: null };
    }),

  begin: async (context) => {
    const caller = memberOf(context);
    const { memberId } = caller;
    const had = await context.manager.findBy(PasskeyEntity, { memberId });
    return keepChallenge(context, await registry.registration(caller, had));
  },

  create: {
    prepare: async (reading, { name, credential }) => {
      const caller = memberOf(reading);
      const challenge = await registry.challengeOf(reading, caller);
      const registered = await registry.register(challenge, credential);
      return (context) => keep(context, caller.memberId, { name, ...registered });
    },
  },

  remove: async (context, { id }) => {
    const { memberId } = memberOf(context);
    const { manager } = context;
    const { affected } = await manager.delete(PasskeyEntity, { id, memberId });
    if (!affected) throw new Problem('PASSKEY_NOT_FOUND');
    await endRecoveryCodes(manager, memberId);
    await noteFactor(context, memberId, 'noPasskey');
    return { ok: true };
  },
}));

/** Keeps a new passkey; the first second factor of a member comes with recovery codes. */
async function keep(
  context: Writing,
  memberId: string,
  given: Awaited<ReturnType<Passkeys['register']>> & { readonly name: string },
): Promise<NewPasskey> {
  const { manager, tenantId, at, subject } = context;
  const factors = await ownFactors(context, memberId);
  if ((await manager.countBy(PasskeyEntity, { memberId })) >= passkeysMax)
    throw new Problem('TOO_MANY_PASSKEYS');
  const passkey = manager.create(PasskeyEntity, {
    ...{ id: newId('psk'), tenantId, memberId, createdAt: at, usedAt: null },
    ...given,
    counter: String(given.counter),
  });
  await manager.insert(PasskeyEntity, passkey).catch(refuseKnown);
  subject(passkey.id);
  await noteFactor(context, memberId, 'passkey');
  if (factors.recoveryHashes.length > 0) return { passkey: view(passkey) };
  const recoveryCodes = renewCodes(factors);
  await manager.save(factors);
  return { passkey: view(passkey), recoveryCodes };
}

function refuseKnown(cause: unknown): never {
  if (isUniqueViolation(cause, 'passkeys_credential'))
    throw new Problem('PASSKEY_EXISTS', { cause });
  throw cause;
}
