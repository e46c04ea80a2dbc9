import { approvedByColumn } from '@postroom/operations';
import { functionsOnly, lookupPolicy, tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The queue of writes that wait for a person, and the keys that sign its receipts. */
export class ApprovalsAccess1795510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(approvedByColumn + entries + approvals + receiptKeys + refusals);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const entries = `
  ALTER TABLE audit_entries ADD COLUMN approved_by text COLLATE "C";
`;

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
    -- Whoever carries it out has it until then; how often that was begun.
    leased_until timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    result_status smallint,
    result_headers text,
    result_body text,
    -- The code of the catalogue, of a refusal.
    result_problem text,
    closed_at timestamptz(3),
    receipt text,
    PRIMARY KEY (tenant_id, id)
  );
  -- The Idempotency-Key of a key's operation is taken until 24 h after the approval closed.
  CREATE INDEX approvals_key ON approvals (tenant_id, key_id, operation, idempotency_key);
  CREATE INDEX approvals_state ON approvals (tenant_id, state, id);
  CREATE INDEX approvals_of_key ON approvals (tenant_id, key_id, id);
  -- What is to be carried out or expires, of all workspaces; what is purged.
  CREATE INDEX approvals_open ON approvals (state, expires_at)
    WHERE state IN ('pending', 'approved', 'executing');
  CREATE INDEX approvals_closed ON approvals (closed_at) WHERE closed_at IS NOT NULL;
  ${tenantPolicy('approvals')}
  ${lookupPolicy('access', 'approvals', 'SELECT, UPDATE, DELETE')}
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
    PRIMARY KEY (tenant_id, key_id, id)
  );
  CREATE INDEX refused_writes_age ON refused_writes (at);
  ${tenantPolicy('refused_writes')}
  ${lookupPolicy('access', 'refused_writes', 'SELECT, DELETE')}
`;
