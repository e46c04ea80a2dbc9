import type {
  Approval,
  EventSource,
  KeyKind,
  MailboxAccess,
  Role,
  Scope,
} from '@postroom/contracts';

interface AnyCaller {
  /** The workspace; nothing outside it exists for this caller. */
  readonly tenantId: string;
  readonly source: EventSource;
}

/** An integration or agent holding an API key. */
export interface KeyCaller extends AnyCaller {
  readonly type: 'key';
  readonly keyId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** Agent keys only. */
  readonly approval: Approval | null;
  readonly scopes: readonly Scope[];
  /** By mailbox address, in lower case. */
  readonly grants: Readonly<Record<string, MailboxAccess>>;
  readonly member: { readonly id: string; readonly email: string } | null;
  /** The workspace administrator's key. */
  readonly admin: boolean;
  /** While a write is executed that had to wait: the decision that allows it. */
  readonly decision?: Decision;
}

/** A member's approval of one write. */
export interface Decision {
  readonly approvalId: string;
  readonly memberId: string;
  /** The version that the resource must still have; null where none is asked. */
  readonly version: number | null;
  /** The fingerprint of what was asked for, so that a repeat is answered, if a member has changed it. */
  readonly fingerprint?: string;
}

/** A signed-in member. */
export interface MemberCaller extends AnyCaller {
  readonly type: 'member';
  readonly memberId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly canApprove: boolean;
  /** Null while signing in. */
  readonly sessionId: string | null;
  /** Signing in: by which password, as `storedPasswordId` names it, or by which passkey. */
  readonly judgedBy?: string;
  /** Signing in: from where. */
  readonly signsInFrom?: SignInPlace;
}

/** The place that a sign-in comes from. */
export interface SignInPlace {
  /** Browser and system as they name themselves; null when they do not. */
  readonly device: string | null;
  /** The client's IP address. */
  readonly address: string;
  /** The host name that was asked. */
  readonly host: string;
}

/** The caller of an operation. */
export type Caller = KeyCaller | MemberCaller;
