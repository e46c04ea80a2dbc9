import { createOperationTables, lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schema `access`: workspaces, members, sessions and API keys. */
export class Init1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOperationTables(runner, 'access');
    await runner.query(tables);
    await runner.query(lookups);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

const tables = `
  -- The workspace is its own tenant: tenant_id is its id.
  CREATE TABLE tenants (
    tenant_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL UNIQUE,
    send_open boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL
  );
  ${tenantPolicy('tenants')}

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

  -- One-time links: an invitation or a password reset.
  CREATE TABLE invitations (
    token_hash text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    expires_at timestamptz(3) NOT NULL
  );
  ${tenantPolicy('invitations')}

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
`;

/** 12 hours idle, 7 days at most (`decisions.md` §9). */
const sessionLives = `s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days'`;

/** What is asked before a workspace is known: by key, by session, by sign-in name, by link; and housekeeping. */
const lookups = `
  ${['tenants', 'members', 'keys'].map((table) => visible('access', table)).join('')}
  ${['sessions', 'invitations'].map((table) => visible('access', table, 'SELECT, DELETE')).join('')}

  CREATE FUNCTION find_tenant(p_name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT tenant_id FROM tenants WHERE name = p_name
  $$;
  ${lookupFunction('access', 'find_tenant(text)')}

  CREATE FUNCTION find_key(p_id text)
  RETURNS TABLE (
    id text, tenant_id text, tenant_name text, send_open boolean, name text, kind text,
    approval text, scopes text[], grants jsonb, member_id text, member_email text, admin boolean,
    secret_hash text, alive boolean
  )
  LANGUAGE sql STABLE AS $$
    SELECT k.id, k.tenant_id, t.name, t.send_open, k.name, k.kind, k.approval, k.scopes, k.grants,
           m.id, m.email, k.admin, k.secret_hash,
           k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
    FROM keys k
    JOIN tenants t ON t.tenant_id = k.tenant_id
    LEFT JOIN members m ON m.id = k.member_id AND m.active
    WHERE k.id = p_id
  $$;
  ${lookupFunction('access', 'find_key(text)')}

  CREATE FUNCTION find_session(p_token_hash text)
  RETURNS TABLE (
    session_id text, tenant_id text, tenant_name text, send_open boolean, member_id text,
    email text, name text, role text, can_approve boolean
  )
  LANGUAGE sql STABLE AS $$
    SELECT s.id, t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
    FROM sessions s
    JOIN members m ON m.id = s.member_id AND m.active
    JOIN tenants t ON t.tenant_id = s.tenant_id
    WHERE s.token_hash = p_token_hash
      AND ${sessionLives}
  $$;
  ${lookupFunction('access', 'find_session(text)')}

  CREATE FUNCTION find_sign_in(p_email text)
  RETURNS TABLE (
    tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
    role text, can_approve boolean, password_hash text
  )
  LANGUAGE sql STABLE AS $$
    SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve,
           m.password_hash
    FROM members m JOIN tenants t ON t.tenant_id = m.tenant_id
    WHERE m.email = p_email AND m.active AND m.password_hash IS NOT NULL
    ORDER BY m.id
  $$;
  ${lookupFunction('access', 'find_sign_in(text)')}

  CREATE FUNCTION find_invitation(p_token_hash text)
  RETURNS TABLE (
    tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
    role text, can_approve boolean
  )
  LANGUAGE sql STABLE AS $$
    SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
    FROM invitations i
    JOIN members m ON m.id = i.member_id AND m.active
    JOIN tenants t ON t.tenant_id = i.tenant_id
    WHERE i.token_hash = p_token_hash AND i.expires_at > now()
  $$;
  ${lookupFunction('access', 'find_invitation(text)')}

  -- Forgets what opens nothing any more: sessions past their life, links past theirs.
  CREATE FUNCTION forget_ended() RETURNS void LANGUAGE sql AS $$
    DELETE FROM sessions s WHERE NOT (${sessionLives});
    DELETE FROM invitations WHERE expires_at <= now();
  $$;
  ${lookupFunction('access', 'forget_ended()')}
`;
