import { ErrorBody } from '../answers.js';
import { Flag, OneOf, Text } from '../fields/index.js';

/** The body of a refused send (public-api.md §7): which of these it has depends on the refusal. */
export class SendErrorBody extends ErrorBody {
  @OneOf(
    ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_UNVERIFIABLE'],
    'What is wrong with the Idempotency-Key.',
    { optional: true },
  )
  code?: 'IDEMPOTENCY_KEY_REUSED' | 'IDEMPOTENCY_KEY_UNVERIFIABLE';

  @Flag('The key was used for another payload.', { optional: true })
  idempotencyKeyReused?: boolean;

  @Flag('What the key was used for cannot be compared: retry with a new one.', { optional: true })
  idempotencyKeyUnverifiable?: boolean;

  @Flag('Another send has this key; nothing was sent again.', { optional: true })
  duplicate?: boolean;

  @Flag('Whether a message of this key may have left: repeat with the same key, never a new one.', {
    optional: true,
  })
  outcomeUnknown?: boolean;

  @OneOf(['warning_required'], 'Data-loss prevention warns.', { optional: true })
  dlpStatus?: 'warning_required';

  @Text('Give it as `dlpWarningToken` to send all the same.', { max: 100, optional: true })
  dlpWarningToken?: string;
}
