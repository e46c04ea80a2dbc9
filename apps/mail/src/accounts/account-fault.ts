/** The reasons why an account cannot be logged in to now. */
export type AccountFaultCode =
  | 'no_account'
  /** Another mailbox reads the account: two would do everything twice there. */
  | 'connected_elsewhere'
  /** The grant has ended: a member has to consent anew. */
  | 'consent_expired'
  /** The password was refused three times within an hour. */
  | 'wrong_password'
  /** The provider gives no token just now, which says nothing about the account. */
  | 'token_endpoint_down'
  /** It has not answered in time. */
  | 'token_endpoint_slow';

/** An account that cannot be logged in to now. */
export class AccountFault extends Error {
  override readonly name = 'AccountFault';

  constructor(
    readonly code: AccountFaultCode,
    message: string,
    /** When it may be tried again; null: once something has changed. */
    readonly retryAt: Date | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** True if waiting alone changes nothing soon. */
  get isForGood(): boolean {
    return !this.code.startsWith('token_endpoint');
  }
}
