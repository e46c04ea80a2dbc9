import { sealedColumn } from '@postroom/operations';
import {
  appendOnlyTenantPolicy,
  functionsOnly,
  lookupPolicy,
  tenantPolicy,
  type Migration,
} from '@postroom/persistence/provision';
import { clientSecretSeal, receiptKeySeal, totpSeal } from '../sealed-columns.js';

const members = `
  -- The workspace is its own tenant: tenant_id is its id.
  CREATE TABLE tenants (
    tenant_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL UNIQUE,
    send_open boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL,
    -- A chain of audit entries that was begun has a head: one that is missing was removed.
    audit_begun boolean NOT NULL DEFAULT false,
    -- In whose days the analytics count.
    time_zone text NOT NULL DEFAULT 'UTC',
    -- The mail whose invitations and answers have their effect: authenticated or any.
    mail_effects text NOT NULL DEFAULT 'authenticated',
    -- The workspace that has made this sandbox; null of any other workspace, and of an operator's.
    sandbox_of text COLLATE "C",
    -- The scopes and clients that members may allow to assistants connected by OAuth.
    assistants jsonb NOT NULL DEFAULT '{"enabled": true, "clients": [], "scopes": ["read:conversations",
      "write:conversations", "read:contacts", "write:contacts", "read:calendar", "write:calendar",
      "read:tasks", "write:tasks", "read:analytics", "drafts:write"]}',
    -- When people of the workspace work.
    working_hours jsonb NOT NULL DEFAULT '[
        {"day": "MO", "from": "09:00", "to": "18:00"}, {"day": "TU", "from": "09:00", "to": "18:00"},
        {"day": "WE", "from": "09:00", "to": "18:00"}, {"day": "TH", "from": "09:00", "to": "18:00"},
        {"day": "FR", "from": "09:00", "to": "18:00"}]'
  );
  CREATE INDEX tenants_sandboxes ON tenants (sandbox_of) WHERE sandbox_of IS NOT NULL;
  ${tenantPolicy('tenants')}
  ${lookupPolicy('access', 'tenants')}

  CREATE TABLE members (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'member')),
    can_approve boolean NOT NULL,
    active boolean NOT NULL DEFAULT true,
    password_hash text,
    -- True: the member gets a mail about each sign-in from a device that is new to the account.
    sign_in_notices boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT members_email UNIQUE (tenant_id, email)
  );
  CREATE INDEX members_sign_in ON members (email);
  ${tenantPolicy('members')}
  ${lookupPolicy('access', 'members')}

  CREATE TABLE teams (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    name text NOT NULL,
    -- The name as it is compared.
    name_key text COLLATE "C" NOT NULL,
    -- In the order given. A member who is removed leaves them in the same commit.
    member_ids text[] COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT teams_name UNIQUE (tenant_id, name_key)
  );
  ${tenantPolicy('teams')}

  CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    created_at timestamptz(3) NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    -- The browser and system of the sign-in as they named themselves, and the address that it came from.
    device text,
    address text,
    -- It waits for a second factor.
    half_open boolean NOT NULL DEFAULT false,
    -- When the member has last proved who it is; null where its provider does not say so.
    proved_at timestamptz(3) DEFAULT now(),
    -- The challenge of a passkey that is registered or used in it.
    challenge text COLLATE "C",
    challenge_until timestamptz,
    -- The provider's sign-out page, for a member who signed in through it.
    sign_out_url text
  );
  CREATE INDEX sessions_member ON sessions (member_id);
  ${tenantPolicy('sessions')}
  ${lookupPolicy('access', 'sessions', 'SELECT, UPDATE, DELETE')}

  -- The devices and networks from which each member has signed in last, by a hash of both.
  CREATE TABLE known_devices (
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, member_id, name)
  );
  CREATE INDEX known_devices_member ON known_devices (member_id);
  ${tenantPolicy('known_devices')}

  -- One-time links. An administrator makes an invitation, at most one for a member; a member who has
  -- forgotten the password asks for a reset.
  CREATE TABLE invitations (
    token_hash text COLLATE "C" PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('invitation', 'reset')),
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX invitations_member ON invitations (tenant_id, member_id);
  ${tenantPolicy('invitations')}
  ${lookupPolicy('access', 'invitations', 'SELECT, DELETE')}

  -- Mail to members about their accounts, until the mail service has handed it to a server. A requested
  -- reset is kept whether or not its address is a member's, so that both take the same time.
  CREATE TABLE notices (
    id text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('reset', 'sign_in', 'factor')),
    -- JSON as text.
    data text NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0
  );
  CREATE INDEX notices_due ON notices (due_at);
  ${functionsOnly('access', 'notices', 'SELECT, INSERT, UPDATE, DELETE')}
`;

const signIn = `
  -- The rules of sign-in; a workspace without a row has the defaults.
  CREATE TABLE sign_in_settings (
    tenant_id text COLLATE "C" PRIMARY KEY REFERENCES tenants,
    -- The OpenID Connect provider and our client there; all three or none.
    issuer text,
    client_id text,
    sealed_client_secret text,
    -- The domains whose addresses the provider vouches for; empty: all.
    domains text[] COLLATE "C" NOT NULL DEFAULT '{}',
    -- True: members who are no administrators keep their passwords.
    passwords boolean NOT NULL DEFAULT true,
    require_second_factor boolean NOT NULL
  );
  ${tenantPolicy('sign_in_settings')}
  ${lookupPolicy('access', 'sign_in_settings')}
  ${sealedColumn('access', clientSecretSeal)}

  -- Passkeys of members (WebAuthn).
  CREATE TABLE passkeys (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    name text NOT NULL,
    credential_id text COLLATE "C" NOT NULL,
    public_key bytea NOT NULL,
    -- The authenticator's own, which grows with each use; 0 of one that has none.
    counter bigint NOT NULL,
    -- The transports by which a browser reaches it, as the browser reported them.
    transports text[] NOT NULL,
    created_at timestamptz(3) NOT NULL,
    used_at timestamptz(3),
    CONSTRAINT passkeys_credential UNIQUE (credential_id)
  );
  CREATE INDEX passkeys_member ON passkeys (member_id);
  ${tenantPolicy('passkeys')}
  ${lookupPolicy('access', 'passkeys', 'SELECT, UPDATE')}

  -- Sign-ins that browsers have begun, once they were used.
  CREATE TABLE used_challenges (
    id text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX used_challenges_expiry ON used_challenges (expires_at);
  ${functionsOnly('access', 'used_challenges', 'SELECT, INSERT, DELETE')}

  -- Second factors of a member beside its passkeys.
  CREATE TABLE second_factors (
    member_id text COLLATE "C" PRIMARY KEY REFERENCES members ON DELETE CASCADE,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    -- The secret of a code application, which counts once a code of it was confirmed.
    sealed_totp text,
    totp_confirmed boolean NOT NULL DEFAULT false,
    -- The last time step whose code was used: no code counts twice, nor one before it.
    totp_step bigint NOT NULL DEFAULT 0,
    -- SHA-256 of the recovery codes that were not used yet.
    recovery_hashes text[] COLLATE "C" NOT NULL DEFAULT '{}',
    -- Proofs that were tried since then without success.
    tries smallint NOT NULL DEFAULT 0,
    tries_since timestamptz NOT NULL DEFAULT now()
  );
  ${tenantPolicy('second_factors')}
  ${lookupPolicy('access', 'second_factors', 'SELECT, INSERT, UPDATE')}
  ${sealedColumn('access', totpSeal)}
`;

const keys = `
  CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('human', 'agent')),
    approval text CHECK (approval IN ('required', 'none')),
    scopes text[] NOT NULL,
    grants jsonb NOT NULL,
    member_id text COLLATE "C" REFERENCES members ON DELETE SET NULL,
    admin boolean NOT NULL,
    secret_hash text COLLATE "C" NOT NULL,
    hint text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    version integer NOT NULL DEFAULT 1,
    -- The assistant that its member has connected by OAuth: id, name and host.
    client jsonb,
    CHECK ((kind = 'agent') = (approval IS NOT NULL))
  );
  CREATE INDEX keys_tenant ON keys (tenant_id);
  CREATE INDEX keys_client ON keys (id) WHERE client IS NOT NULL;
  ${tenantPolicy('keys')}
  ${lookupPolicy('access', 'keys', 'SELECT, UPDATE, DELETE')}
`;

const oauth = `
  -- Assistants that have registered themselves (RFC 7591): for a day, and for 90 days from each consent.
  CREATE TABLE oauth_clients (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    redirect_uris text[] COLLATE "C" NOT NULL,
    -- The network that it came from: a /24, or a /48 of IPv6.
    site text COLLATE "C" NOT NULL,
    is_used boolean NOT NULL DEFAULT false,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX oauth_clients_unused ON oauth_clients (site) WHERE NOT is_used;
  CREATE INDEX oauth_clients_expiry ON oauth_clients (expires_at);
  ${functionsOnly('access', 'oauth_clients', 'SELECT, INSERT, UPDATE, DELETE')}

  -- By SHA-256. Those that were used stay until they would have expired: a second use ends the connection.
  CREATE TABLE oauth_tokens (
    hash text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    key_id text COLLATE "C" NOT NULL REFERENCES keys ON DELETE CASCADE,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
    -- For a code only: the address it was sent to, and the challenge of PKCE.
    redirect_uri text,
    challenge text,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    used_at timestamptz(3)
  );
  CREATE INDEX oauth_tokens_key ON oauth_tokens (key_id, kind, created_at);
  CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);
  ${tenantPolicy('oauth_tokens')}
  ${lookupPolicy('access', 'oauth_tokens', 'SELECT, DELETE')}
`;

/** Failed sign-ins, counted for all gateways at once (`decisions.md` §9). */
const attempts = `
  -- By a hash of the account or of the client's address: when attempts began that have not succeeded.
  CREATE TABLE sign_in_attempts (
    name text COLLATE "C" PRIMARY KEY,
    times timestamptz[] NOT NULL,
    -- When the last of them no longer counts.
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX sign_in_attempts_expiry ON sign_in_attempts (expires_at);
  ${functionsOnly('access', 'sign_in_attempts', 'SELECT, INSERT, UPDATE, DELETE')}

  -- From where members sign in: attempts of strangers elsewhere do not keep them out.
  -- By a hash of a member and of the network that a sign-in came from. Of the member, since the owner of a workspace
  -- has members under any address in it, also under that of another's.
  CREATE TABLE known_networks (
    name text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX known_networks_expiry ON known_networks (expires_at);
  ${functionsOnly('access', 'known_networks', 'SELECT, INSERT, UPDATE, DELETE')}
`;

/** Leases under which a gateway answers from memory who a key is (`decisions.md` §3). */
const leases = `
  -- Counts the changes of what a key may do, of every workspace. One row.
  CREATE TABLE authorization_epoch (epoch bigint NOT NULL);
  INSERT INTO authorization_epoch VALUES (0);
  ${functionsOnly('access', 'authorization_epoch', 'SELECT, UPDATE')}

  -- Until when a gateway may answer from memory, and the epoch up to which it has emptied it.
  CREATE TABLE authorization_leases (
    instance text COLLATE "C" PRIMARY KEY,
    cleared_epoch bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  ${functionsOnly('access', 'authorization_leases', 'SELECT, INSERT, UPDATE, DELETE')}

  -- The requests that each gateway has let through, for the other gateways to count.
  CREATE TABLE told_requests (
    instance text COLLATE "C" NOT NULL,
    -- Numbers the rows of an instance.
    number integer NOT NULL,
    -- By caller and limit family, how many requests since the number before.
    counts jsonb NOT NULL,
    told_at timestamptz NOT NULL,
    PRIMARY KEY (instance, number)
  );
  CREATE INDEX told_requests_age ON told_requests (told_at);
  ${functionsOnly('access', 'told_requests', 'SELECT, INSERT, DELETE')}
`;

/** The sealed chain of every workspace's audit (docs/adr/0018). */
const audit = `
  CREATE TABLE audit_entries (
    tenant_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    actor_type text NOT NULL,
    actor_id text COLLATE "C",
    source text NOT NULL,
    action text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C",
    request_id text,
    hash bytea NOT NULL,
    approved_by text COLLATE "C",
    duration_ms integer,
    PRIMARY KEY (tenant_id, position)
  );
  CREATE INDEX audit_entries_time ON audit_entries (tenant_id, at, id);
  CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor_id, at, id);
  CREATE INDEX audit_entries_action ON audit_entries (tenant_id, action, at, id);
  CREATE INDEX audit_entries_subject ON audit_entries (tenant_id, subject_id, at, id);
  -- Nothing of the product changes or removes an entry.
  ${appendOnlyTenantPolicy('audit_entries')}

  -- The length and the last link of each chain, under an HMAC of their own.
  CREATE TABLE audit_heads (
    tenant_id text COLLATE "C" PRIMARY KEY,
    length bigint NOT NULL,
    last_hash bytea NOT NULL,
    mac bytea NOT NULL
  );
  ${tenantPolicy('audit_heads')}
  ${lookupPolicy('access', 'audit_heads')}

  -- The keys that the links of the audit were made with.
  -- The name reveals nothing about the key. A key stays as long as the chains that it made links of.
  CREATE TABLE audit_keys (
    id text COLLATE "C" PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT now()
  );
  ${functionsOnly('access', 'audit_keys', 'SELECT, INSERT')}
`;

/** The queue of writes that wait for a person, and the keys that sign its receipts. */
const approvals = `
  CREATE TABLE approvals (
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    id text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL REFERENCES keys,
    key_name text NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved',
      'executing', 'executed', 'failed', 'rejected', 'expired', 'cancelled', 'refused')),
    operation text COLLATE "C" NOT NULL,
    summary text NOT NULL,
    -- JSON as text: what was asked for stays byte for byte, and is never searched.
    payload text NOT NULL,
    payload_hash text COLLATE "C" NOT NULL,
    -- As a member changed it before approving it.
    approved_payload text,
    approved_payload_hash text COLLATE "C",
    target_type text,
    target_id text COLLATE "C",
    target_version bigint,
    difference text NOT NULL,
    -- The mailbox, book or calendar whose readers may read this; null: all members.
    within_type text,
    within_id text COLLATE "C",
    channel text NOT NULL CHECK (channel IN ('rest', 'mcp')),
    idempotency_key text COLLATE "C" NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    decided_by_id text COLLATE "C",
    decided_by text,
    decided_at timestamptz(3),
    comment text,
    -- The process that carries it out has it until then; how often that was begun.
    leased_until timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    result_status smallint,
    result_headers text,
    result_body text,
    -- The code of the catalogue, of a refusal.
    result_problem text,
    closed_at timestamptz(3),
    -- When an agent was first answered how its write ended, which decides what the same call means again.
    answered_at timestamptz(3),
    receipt text,
    -- The program that filed it, as it names itself.
    client text,
    PRIMARY KEY (tenant_id, id)
  );
  -- The Idempotency-Key of a key's operation is taken until 24 h after the approval closed.
  CREATE INDEX approvals_key ON approvals (tenant_id, key_id, operation, idempotency_key);
  CREATE INDEX approvals_state ON approvals (tenant_id, state, id);
  CREATE INDEX approvals_of_key ON approvals (tenant_id, key_id, id);
  -- Finds approvals of all workspaces that are to be carried out, to expire or to be purged.
  CREATE INDEX approvals_open ON approvals (state, expires_at)
    WHERE state IN ('pending', 'approved', 'executing');
  CREATE INDEX approvals_closed ON approvals (closed_at) WHERE closed_at IS NOT NULL;
  ${tenantPolicy('approvals')}
  ${lookupPolicy('access', 'approvals', 'SELECT, UPDATE, DELETE')}
`;

const clockAdvances = `
  -- The last advance of the clock of each sandbox.
  CREATE TABLE clock_advances (
    tenant_id text COLLATE "C" PRIMARY KEY,
    -- The request that has begun it.
    message_id text COLLATE "C" NOT NULL,
    -- The clock's lead at the start, at the end, and now.
    from_ms bigint NOT NULL,
    to_ms bigint NOT NULL,
    ahead_ms bigint NOT NULL,
    stops integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped')),
    -- The process that moves it has it until then.
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
  );
  CREATE INDEX clock_advances_running ON clock_advances (leased_until) WHERE state = 'running';
  ${tenantPolicy('clock_advances')}
  ${lookupPolicy('access', 'clock_advances', 'SELECT, UPDATE')}
`;

const receiptKeys = `
  -- Signing keys of receipts: the private part sealed with the keyring, the public one published for as long
  -- as receipts are kept.
  CREATE TABLE receipt_keys (
    kid text COLLATE "C" PRIMARY KEY,
    public_jwk jsonb NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  ${functionsOnly('access', 'receipt_keys', 'SELECT, INSERT, DELETE')}
  ${sealedColumn('access', receiptKeySeal)}
`;

const refusals = `
  -- Refused writes of keys, for them to look at: seven days, at most a thousand of each.
  CREATE TABLE refused_writes (
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    key_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    operation text COLLATE "C" NOT NULL,
    status smallint NOT NULL,
    code text COLLATE "C" NOT NULL,
    request_id text NOT NULL,
    -- The code of the answer, where the operation's family has one of its own.
    answered text COLLATE "C",
    PRIMARY KEY (tenant_id, key_id, id)
  );
  CREATE INDEX refused_writes_age ON refused_writes (at);
  ${tenantPolicy('refused_writes')}
  ${lookupPolicy('access', 'refused_writes', 'SELECT, DELETE')}
`;

/** Notices to members of changes as they happen. */
const stream = `
  -- For an hour, so that a reader that was cut off can go on. Within a workspace, positions are given in the
  -- order of commits: tell_stream holds a lock until then.
  CREATE TABLE stream_events (
    position bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    at timestamptz(3) NOT NULL DEFAULT now(),
    type text COLLATE "C" NOT NULL,
    -- The mailbox, book or calendar whose readers may see it; null: all members.
    within_type text,
    within_id text COLLATE "C",
    data text NOT NULL,
    PRIMARY KEY (tenant_id, position)
  );
  CREATE INDEX stream_events_age ON stream_events (at);
  ${tenantPolicy('stream_events')}
  ${lookupPolicy('access', 'stream_events', 'SELECT, DELETE')}
`;

/** Schema `access`: workspaces, members, sessions, API keys, and the audit. */
export const init: Migration = {
  name: '2026-11-28-init-access',
  sql:
    members +
    signIn +
    keys +
    oauth +
    attempts +
    leases +
    audit +
    approvals +
    clockAdvances +
    receiptKeys +
    refusals +
    stream,
};
