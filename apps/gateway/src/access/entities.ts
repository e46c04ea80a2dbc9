import type {
  Approval,
  Assistants,
  KeyClient,
  KeyKind,
  MailboxAccess,
  Role,
  Scope,
  MailEffects,
  WorkingHours,
} from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** A one-time link through which a member chooses a password. */
@Entity({ name: 'invitations' })
export class InvitationEntity {
  @PrimaryColumn({ name: 'token_hash', type: 'text' })
  tokenHash!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ name: 'member_id', type: 'text' })
  memberId!: string;

  @Column({ type: 'text' })
  id!: string;

  /** An administrator makes invitations, a member who has forgotten the password asks for a reset. */
  @Column({ type: 'text' })
  kind!: 'invitation' | 'reset';

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;
}

/** An API key; of its secret only a hash is kept. */
@Entity({ name: 'keys' })
export class KeyEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  kind!: KeyKind;

  @Column({ type: 'text', nullable: true })
  approval!: Approval | null;

  @Column({ type: 'text', array: true })
  scopes!: Scope[];

  /** By mailbox address. */
  @Column({ type: 'jsonb' })
  grants!: Record<string, MailboxAccess>;

  @Column({ name: 'member_id', type: 'text', nullable: true })
  memberId!: string | null;

  @Column({ type: 'boolean' })
  admin!: boolean;

  @Column({ name: 'secret_hash', type: 'text' })
  secretHash!: string;

  @Column({ type: 'text' })
  hint!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** The assistant that its member has connected by OAuth. */
  @Column({ type: 'jsonb', nullable: true })
  client!: KeyClient | null;

  @VersionColumn()
  version!: number;
}

/** A person of a workspace. */
@Entity({ name: 'members' })
export class MemberEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  role!: Role;

  @Column({ name: 'can_approve', type: 'boolean' })
  canApprove!: boolean;

  @Column({ type: 'boolean' })
  active!: boolean;

  /** PHC string; null until an invitation is accepted. */
  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash!: string | null;

  /** True if a sign-in from a new device is reported by mail. */
  @Column({ name: 'sign_in_notices', type: 'boolean', default: true })
  signInNotices!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @VersionColumn()
  version!: number;
}

/** A member's sign-in; the token itself is in the cookie only. */
@Entity({ name: 'sessions' })
export class SessionEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ name: 'member_id', type: 'text' })
  memberId!: string;

  @Column({ name: 'token_hash', type: 'text' })
  tokenHash!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'seen_at', type: 'timestamptz' })
  seenAt!: Date;

  /** Browser and system of the sign-in. */
  @Column({ type: 'text', nullable: true })
  device!: string | null;

  @Column({ type: 'text', nullable: true })
  address!: string | null;

  /** It waits for a second factor. */
  @Column({ name: 'half_open', type: 'boolean' })
  halfOpen!: boolean;

  /** When the member has last proved who it is; null where its provider does not say so. */
  @Column({ name: 'proved_at', type: 'timestamptz', nullable: true })
  provedAt!: Date | null;

  /** The challenge of a passkey that is registered or used in it; it counts once. */
  @Column({ type: 'text', nullable: true })
  challenge!: string | null;

  @Column({ name: 'challenge_until', type: 'timestamptz', nullable: true })
  challengeUntil!: Date | null;

  @Column({ name: 'sign_out_url', type: 'text', nullable: true })
  signOutUrl!: string | null;
}

/** Second factors of a member beside its passkeys; none until one was begun. */
@Entity({ name: 'second_factors' })
export class SecondFactorEntity {
  @PrimaryColumn({ name: 'member_id', type: 'text' })
  memberId!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ name: 'sealed_totp', type: 'text', nullable: true })
  sealedTotp!: string | null;

  @Column({ name: 'totp_confirmed', type: 'boolean' })
  totpConfirmed!: boolean;

  /** A count of 30 s; PostgreSQL gives a bigint as text. */
  @Column({ name: 'totp_step', type: 'bigint' })
  totpStep!: string;

  @Column({ name: 'recovery_hashes', type: 'text', array: true })
  recoveryHashes!: string[];

  @Column({ type: 'smallint' })
  tries!: number;
}

/** A passkey of a member. */
@Entity({ name: 'passkeys' })
export class PasskeyEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ name: 'member_id', type: 'text' })
  memberId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'credential_id', type: 'text' })
  credentialId!: string;

  @Column({ name: 'public_key', type: 'bytea' })
  publicKey!: Buffer;

  /** PostgreSQL gives a bigint as text. */
  @Column({ type: 'bigint' })
  counter!: string;

  @Column({ type: 'text', array: true })
  transports!: string[];

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt!: Date | null;
}

/** Settings of the sign-in of a workspace’s members; absent until they are set. */
@Entity({ name: 'sign_in_settings' })
export class SignInSettingsEntity {
  @PrimaryColumn({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text', nullable: true })
  issuer!: string | null;

  @Column({ name: 'client_id', type: 'text', nullable: true })
  clientId!: string | null;

  @Column({ name: 'sealed_client_secret', type: 'text', nullable: true })
  sealedClientSecret!: string | null;

  @Column({ type: 'text', array: true })
  domains!: string[];

  @Column({ type: 'boolean' })
  passwords!: boolean;

  @Column({ name: 'require_second_factor', type: 'boolean' })
  requireSecondFactor!: boolean;
}

/** Members of a workspace who share conversations. */
@Entity({ name: 'teams' })
export class TeamEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  name!: string;

  /** The name as it is compared, unique in the workspace. */
  @Column({ name: 'name_key', type: 'text' })
  nameKey!: string;

  @Column({ name: 'member_ids', type: 'text', array: true })
  memberIds!: string[];

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @VersionColumn()
  version!: number;
}

/** A workspace. */
@Entity({ name: 'tenants' })
export class TenantEntity {
  @PrimaryColumn({ name: 'tenant_id', type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'send_open', type: 'boolean' })
  sendOpen!: boolean;

  /** IANA; the days of its analytics are those of this zone. */
  @Column({ name: 'time_zone', type: 'text' })
  timeZone!: string;

  @Column({ name: 'working_hours', type: 'jsonb' })
  workingHours!: readonly WorkingHours[];

  @Column({ name: 'mail_effects', type: 'text' })
  mailEffects!: MailEffects;

  @Column({ type: 'jsonb' })
  assistants!: Assistants;

  /** The workspace that has made this sandbox. */
  @Column({ name: 'sandbox_of', type: 'text', nullable: true })
  sandboxOf!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}

/** Connects to schema `access` as its service role, beside the service: for the operator's commands. */
export const connectAccess = (url: string): Promise<Database> =>
  Database.connect({ url, schema: 'access', entities });

/** TypeORM's entities of schema `access`. */
export const entities = [
  InvitationEntity,
  KeyEntity,
  MemberEntity,
  PasskeyEntity,
  SecondFactorEntity,
  SessionEntity,
  SignInSettingsEntity,
  TeamEntity,
  TenantEntity,
];
