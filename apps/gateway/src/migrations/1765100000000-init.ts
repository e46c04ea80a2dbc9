import { initialOperationTables } from '@postroom/operations';
import {
  appendOnlyTenantPolicy,
  functionsOnly,
  lookupPolicy,
  tenantPolicy,
} from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schema `access`: workspaces, members, sessions, API keys, and the audit. */
export class InitAccess1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      initialOperationTables('access') + members + keys + attempts + leases + audit,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

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
    time_zone text NOT NULL DEFAULT 'UTC'
  );
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
    seen_at timestamptz(3) NOT NULL
  );
  CREATE INDEX sessions_member ON sessions (member_id);
  ${tenantPolicy('sessions')}
  ${lookupPolicy('access', 'sessions', 'SELECT, DELETE')}

  -- One-time links: an invitation or a password reset.
  CREATE TABLE invitations (
    token_hash text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    expires_at timestamptz(3) NOT NULL
  );
  ${tenantPolicy('invitations')}
  ${lookupPolicy('access', 'invitations', 'SELECT, DELETE')}
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
    CHECK ((kind = 'agent') = (approval IS NOT NULL))
  );
  CREATE INDEX keys_tenant ON keys (tenant_id);
  ${tenantPolicy('keys')}
  ${lookupPolicy('access', 'keys')}
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
    PRIMARY KEY (tenant_id, position)
  );
  CREATE INDEX audit_entries_time ON audit_entries (tenant_id, at, id);
  CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor_id, at, id);
  CREATE INDEX audit_entries_action ON audit_entries (tenant_id, action, at, id);
  -- Nothing of the product changes or removes an entry.
  ${appendOnlyTenantPolicy('audit_entries')}

  -- How long each chain is and how it ends, under an HMAC of their own.
  CREATE TABLE audit_heads (
    tenant_id text COLLATE "C" PRIMARY KEY,
    length bigint NOT NULL,
    last_hash bytea NOT NULL,
    mac bytea NOT NULL
  );
  ${tenantPolicy('audit_heads')}
`;
