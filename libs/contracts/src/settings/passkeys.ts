import { Done, SettingsPage } from '../answers.js';
import { Id, Instant, JsonObject, ListOf, Part, Text } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { Enrolled } from './second-factor.js';

/** Passkeys of a member. */
export const passkeysMax = 20;

/** Bytes of an authenticator's answer; one with a post-quantum key has some 6 KiB. */
const answerBytesMax = 16 * 1024;

/** A passkey of the signed-in member. */
export class Passkey {
  @Id('psk', 'The passkey.')
  id!: string;

  @Text('The name that the member has given it.', { max: 80 })
  name!: string;

  @Instant('Registration.')
  createdAt!: string;

  @Instant('Last use; null before the first.', { nullable: true })
  usedAt!: string | null;
}

/** Passkeys of the signed-in member. */
export class PasskeyList extends SettingsPage {
  @ListOf(() => Passkey, 'Passkeys, the oldest first.', { max: passkeysMax })
  items!: Passkey[];
}

/** Options for an authenticator. */
export class PasskeyOptions {
  @JsonObject(
    'Options for `navigator.credentials`, as `PublicKeyCredential.parse…OptionsFromJSON` reads them (WebAuthn 3).',
  )
  options!: Readonly<Record<string, unknown>>;
}

/** Input of a registration. */
export class CreatePasskey {
  @Text('A name for it, such as the device it is on.', { max: 80, filled: true })
  name!: string;

  @JsonObject('The answer of `navigator.credentials.create`, as its `toJSON` gives it.')
  credential!: Readonly<Record<string, unknown>>;
}

/** A new passkey. */
export class NewPasskey extends Enrolled {
  @Part(() => Passkey, 'The passkey.')
  passkey!: Passkey;
}

/** Passkeys of the signed-in member (WebAuthn 3): the relying party is the host of `PUBLIC_URL`. */
export const passkeys = family(
  'access',
  'passkeys',
  {
    list: operation({
      http: 'GET /me/passkeys',
      session: 'enrolling',
      summary: 'List one’s passkeys',
      output: PasskeyList,
    }),
    begin: operation({
      http: 'POST /me/passkeys/options',
      audit: null,
      session: 'enrolling',
      stepUp: true,
      summary: 'Begin to register a passkey',
      description: 'The options can be used once, in this session, within 5 minutes.',
      output: PasskeyOptions,
    }),
    create: operation({
      http: 'POST /me/passkeys',
      success: 201,
      confidential: true,
      bodyMax: answerBytesMax,
      session: 'enrolling',
      stepUp: true,
      summary: 'Register a passkey',
      input: CreatePasskey,
      output: NewPasskey,
      problems: ['SECOND_FACTOR_REFUSED', 'PASSKEY_EXISTS', 'TOO_MANY_PASSKEYS'],
    }),
    remove: operation({
      http: 'DELETE /me/passkeys/:id',
      stepUp: true,
      summary: 'Remove a passkey',
      input: IdOf('psk', 'The passkey.'),
      output: Done,
      problems: ['PASSKEY_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
