--- migration access InitAccess1765100000000

  -- The reply of a write, under the message's id or the caller's Idempotency-Key.
  CREATE TABLE replies (
    tenant_id text COLLATE "C" NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    status smallint,
    body text,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, dedupe_key)
  );
  CREATE INDEX replies_expiry ON replies (expires_at);
  
  
  ALTER TABLE replies ENABLE ROW LEVEL SECURITY;
  ALTER TABLE replies FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON replies
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON replies TO postroom_access_lookup;
  CREATE POLICY lookup ON replies TO postroom_access_lookup USING (true);


  CREATE TABLE outbox (
    position bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text COLLATE "C" NOT NULL,
    -- The key: a change pays for as few indexes as possible.
    event_id text COLLATE "C" PRIMARY KEY,
    type text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    envelope text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The hash is the one of hash partitioning, which PostgreSQL keeps between versions.
    shard smallint NOT NULL GENERATED ALWAYS AS
      ((hashtextextended(tenant_id || '/' || resource, 0) & 15)::smallint) STORED,
    -- Why the bus never takes this event: it is parked for an operator, and others pass it.
    refusal text,
    UNIQUE (tenant_id, resource, sequence)
  );
  CREATE INDEX outbox_waiting ON outbox (shard, position) WHERE refusal IS NULL;
  
  
  ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
  ALTER TABLE outbox FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON outbox
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO postroom_access_lookup;
  CREATE POLICY lookup ON outbox TO postroom_access_lookup USING (true);


  CREATE TABLE outbox_shards (
    shard smallint PRIMARY KEY,
    owner text,
    token bigint NOT NULL DEFAULT 0,
    -- When the shard was released, or its lease ends.
    free_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  INSERT INTO outbox_shards (shard) SELECT generate_series(0, 15);
  
  ALTER TABLE outbox_shards ENABLE ROW LEVEL SECURITY;
  ALTER TABLE outbox_shards FORCE ROW LEVEL SECURITY;

  GRANT SELECT, UPDATE ON outbox_shards TO postroom_access_lookup;
  CREATE POLICY lookup ON outbox_shards TO postroom_access_lookup USING (true);


  -- Which events have had their effect, by consumer.
  CREATE TABLE inbox (
    tenant_id text COLLATE "C" NOT NULL,
    consumer text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    consumed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, consumer, event_id)
  );
  CREATE INDEX inbox_age ON inbox (consumed_at);
  
  
  ALTER TABLE inbox ENABLE ROW LEVEL SECURITY;
  ALTER TABLE inbox FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON inbox
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON inbox TO postroom_access_lookup;
  CREATE POLICY lookup ON inbox TO postroom_access_lookup USING (true);


  -- A queue: a record is taken out of it once, by tenant and oldest first, so one index is enough.
  CREATE TABLE audit_records (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    actor_type text NOT NULL,
    actor_id text COLLATE "C",
    source text NOT NULL,
    action text NOT NULL,
    subject_id text COLLATE "C",
    request_id text,
    PRIMARY KEY (tenant_id, id)
  );
  
  
  ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_records FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON audit_records
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON audit_records TO postroom_access_lookup;
  CREATE POLICY lookup ON audit_records TO postroom_access_lookup USING (true);


  -- Numbers the internal events that carry audit records to the sealer.
  CREATE SEQUENCE audit_event_numbers;
  GRANT USAGE ON SEQUENCE audit_event_numbers TO postroom_access_lookup;

  -- What has happened and is not in the counters yet: written with it. Nothing is looked up here, so there
  -- is no key and no index to keep: writers never wait for each other.
  CREATE TABLE volume_deltas (
    tenant_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    -- A name of volumeKinds in the contracts.
    kind text COLLATE "C" NOT NULL,
    -- What the kind is counted by beside the day, such as a mailbox's address; empty for nothing.
    scope text COLLATE "C" NOT NULL DEFAULT '',
    amount integer NOT NULL DEFAULT 1
  );
  
  
  ALTER TABLE volume_deltas ENABLE ROW LEVEL SECURITY;
  ALTER TABLE volume_deltas FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON volume_deltas
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON volume_deltas TO postroom_access_lookup;
  CREATE POLICY lookup ON volume_deltas TO postroom_access_lookup USING (true);


  -- By quarter of an hour: a day of any time zone is made of whole ones, also of one that is 5:45
  -- ahead, on the days that clocks change, and after a workspace has moved to another zone.
  CREATE TABLE volumes (
    tenant_id text COLLATE "C" NOT NULL,
    quarter timestamptz(0) NOT NULL,
    kind text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (tenant_id, quarter, kind, scope)
  ) WITH (fillfactor = 70);
  
  
  ALTER TABLE volumes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE volumes FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON volumes
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, INSERT, UPDATE ON volumes TO postroom_access_lookup;
  CREATE POLICY lookup ON volumes TO postroom_access_lookup USING (true);


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
  
  
  ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
  ALTER TABLE tenants FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON tenants
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT ON tenants TO postroom_access_lookup;
  CREATE POLICY lookup ON tenants TO postroom_access_lookup USING (true);


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
  
  
  ALTER TABLE members ENABLE ROW LEVEL SECURITY;
  ALTER TABLE members FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON members
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT ON members TO postroom_access_lookup;
  CREATE POLICY lookup ON members TO postroom_access_lookup USING (true);


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
  
  
  ALTER TABLE teams ENABLE ROW LEVEL SECURITY;
  ALTER TABLE teams FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON teams
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    created_at timestamptz(3) NOT NULL,
    seen_at timestamptz(3) NOT NULL
  );
  CREATE INDEX sessions_member ON sessions (member_id);
  
  
  ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
  ALTER TABLE sessions FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON sessions
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON sessions TO postroom_access_lookup;
  CREATE POLICY lookup ON sessions TO postroom_access_lookup USING (true);


  -- One-time links: an invitation or a password reset.
  CREATE TABLE invitations (
    token_hash text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
    member_id text COLLATE "C" NOT NULL REFERENCES members ON DELETE CASCADE,
    expires_at timestamptz(3) NOT NULL
  );
  
  
  ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
  ALTER TABLE invitations FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON invitations
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON invitations TO postroom_access_lookup;
  CREATE POLICY lookup ON invitations TO postroom_access_lookup USING (true);


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
  
  
  ALTER TABLE keys ENABLE ROW LEVEL SECURITY;
  ALTER TABLE keys FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON keys
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT ON keys TO postroom_access_lookup;
  CREATE POLICY lookup ON keys TO postroom_access_lookup USING (true);


  -- By a hash of the account or of the client's address: when attempts began that have not succeeded.
  CREATE TABLE sign_in_attempts (
    name text COLLATE "C" PRIMARY KEY,
    times timestamptz[] NOT NULL,
    -- When the last of them no longer counts.
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX sign_in_attempts_expiry ON sign_in_attempts (expires_at);
  
  ALTER TABLE sign_in_attempts ENABLE ROW LEVEL SECURITY;
  ALTER TABLE sign_in_attempts FORCE ROW LEVEL SECURITY;

  GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_attempts TO postroom_access_lookup;
  CREATE POLICY lookup ON sign_in_attempts TO postroom_access_lookup USING (true);


  -- Counts the changes of what a key may do, of every workspace. One row.
  CREATE TABLE authorization_epoch (epoch bigint NOT NULL);
  INSERT INTO authorization_epoch VALUES (0);
  
  ALTER TABLE authorization_epoch ENABLE ROW LEVEL SECURITY;
  ALTER TABLE authorization_epoch FORCE ROW LEVEL SECURITY;

  GRANT SELECT, UPDATE ON authorization_epoch TO postroom_access_lookup;
  CREATE POLICY lookup ON authorization_epoch TO postroom_access_lookup USING (true);


  -- Until when a gateway may answer from memory, and the epoch up to which it has emptied it.
  CREATE TABLE authorization_leases (
    instance text COLLATE "C" PRIMARY KEY,
    cleared_epoch bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  
  ALTER TABLE authorization_leases ENABLE ROW LEVEL SECURITY;
  ALTER TABLE authorization_leases FORCE ROW LEVEL SECURITY;

  GRANT SELECT, INSERT, UPDATE, DELETE ON authorization_leases TO postroom_access_lookup;
  CREATE POLICY lookup ON authorization_leases TO postroom_access_lookup USING (true);


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
  
  
  ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON audit_entries FOR SELECT
    USING (tenant_id = current_setting('postroom.tenant', true));
  CREATE POLICY tenant_adds ON audit_entries FOR INSERT
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  -- How long each chain is and how it ends, under an HMAC of their own.
  CREATE TABLE audit_heads (
    tenant_id text COLLATE "C" PRIMARY KEY,
    length bigint NOT NULL,
    last_hash bytea NOT NULL,
    mac bytea NOT NULL
  );
  
  
  ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON audit_heads
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


--- file access gateway/audit/audit.sql
-- A part of the chain in its order, and as of the same moment how it should end: a row without an entry
-- when there is none.
CREATE OR REPLACE FUNCTION scan_audit_chain(p_tenant text, p_after bigint, p_limit integer)
RETURNS TABLE (entry audit_entries, begun boolean, length float8, last_hash bytea, mac bytea)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT part.entry, t.audit_begun, h.length::float8, h.last_hash, h.mac
    FROM tenants t
    LEFT JOIN audit_heads h ON h.tenant_id = t.tenant_id
    LEFT JOIN LATERAL (
      SELECT e AS entry FROM audit_entries e
      WHERE e.tenant_id = p_tenant AND e.position > p_after ORDER BY e.position LIMIT p_limit
    ) part ON true
    WHERE t.tenant_id = p_tenant ORDER BY (part.entry).position;
END $$;

-- A page of entries, newest first, after a place in that order. Built from the filters that are given, so
-- that each finds its index.
CREATE OR REPLACE FUNCTION audit_page(p_tenant text, p_actor text, p_action text,
  p_from timestamptz, p_to timestamptz, p_after_at timestamptz, p_after_id text, p_limit integer)
RETURNS SETOF audit_entries LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY EXECUTE 'SELECT * FROM audit_entries WHERE tenant_id = $1'
    || CASE WHEN p_actor IS NULL THEN '' ELSE ' AND actor_id = $2' END
    || CASE WHEN p_action IS NULL THEN '' ELSE ' AND action = $3' END
    || CASE WHEN p_from IS NULL THEN '' ELSE ' AND at >= $4' END
    || CASE WHEN p_to IS NULL THEN '' ELSE ' AND at < $5' END
    || CASE WHEN p_after_id IS NULL THEN '' ELSE ' AND (at, id) < ($6, $7)' END
    || ' ORDER BY at DESC, id DESC LIMIT $8'
    USING p_tenant, p_actor, p_action, p_from, p_to, p_after_at, p_after_id, p_limit;
END $$;
--- file access gateway/audit/sealing.sql
-- Plans of functions on the queue of records are made while it is empty and kept while it fills: hence no
-- sequential scans.

-- Workspaces that have records to be sealed: one look into the index for each.
CREATE OR REPLACE FUNCTION audit_waiting() RETURNS TABLE (tenant_id text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  WITH RECURSIVE waiting AS (
    (SELECT a.tenant_id FROM audit_records a ORDER BY a.tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT a.tenant_id FROM audit_records a WHERE a.tenant_id > w.tenant_id
            ORDER BY a.tenant_id LIMIT 1)
    FROM waiting w WHERE w.tenant_id IS NOT NULL
  )
  SELECT w.tenant_id FROM waiting w WHERE w.tenant_id IS NOT NULL
$$;

-- Sets the tenant and takes the workspace's lock until the transaction ends: no row when another has it.
-- Then where the chain stands.
CREATE OR REPLACE FUNCTION begin_sealing(p_tenant text)
RETURNS TABLE (begun boolean, length float8, last_hash bytea, mac bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF NOT pg_try_advisory_xact_lock(hashtextextended('access.audit ' || p_tenant, 0)) THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT t.audit_begun, h.length::float8, h.last_hash, h.mac
    FROM tenants t LEFT JOIN audit_heads h ON h.tenant_id = t.tenant_id
    WHERE t.tenant_id = p_tenant;
END $$;

CREATE OR REPLACE FUNCTION waiting_audit(p_tenant text, p_limit integer)
RETURNS SETOF audit_records LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN QUERY SELECT a.* FROM audit_records a
    WHERE a.tenant_id = p_tenant ORDER BY a.id LIMIT p_limit;
END $$;

-- Appends the records of these ids, in this order, after p_length entries.
CREATE OR REPLACE FUNCTION seal_audit(
  p_tenant text, p_length bigint, p_ids text[], p_hashes bytea[], p_mac bytea)
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_sealed bigint;
BEGIN
  WITH sealed AS (
    DELETE FROM audit_records a USING unnest(p_ids, p_hashes) WITH ORDINALITY AS s (id, hash, place)
    WHERE a.tenant_id = p_tenant AND a.id = s.id
    RETURNING a.*, s.hash, s.place
  )
  INSERT INTO audit_entries (tenant_id, position, id, at, actor_type, actor_id, source, action,
      subject_id, request_id, hash)
    SELECT p_tenant, p_length + place, id, at, actor_type, actor_id, source, action, subject_id,
      request_id, hash FROM sealed;
  GET DIAGNOSTICS v_sealed = ROW_COUNT;
  IF v_sealed <> cardinality(p_ids) THEN RAISE 'audit records vanished under their lock'; END IF;
  PERFORM set_audit_head(p_tenant, p_length, p_hashes, p_mac);
END $$;

-- Appends the records of an internal event, in its order, after p_length entries.
CREATE OR REPLACE FUNCTION seal_received(
  p_tenant text, p_length bigint, p_records json, p_hashes bytea[], p_mac bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_entries (tenant_id, position, id, at, actor_type, actor_id, source, action,
    subject_id, request_id, hash)
  SELECT p_tenant, p_length + r.place, r.id, r.at, r.actor_type, r.actor_id, r.source, r.action,
    r.subject_id, r.request_id, r.hash
  FROM ROWS FROM (
    json_to_recordset(p_records) AS (id text, at timestamptz, "actorType" text, "actorId" text,
      source text, action text, "subjectId" text, "requestId" text),
    unnest(p_hashes)
  ) WITH ORDINALITY AS r (id, at, actor_type, actor_id, source, action, subject_id, request_id,
    hash, place);
  PERFORM set_audit_head(p_tenant, p_length, p_hashes, p_mac);
END $$;

-- Where a chain ends that these hashes were appended to after p_length entries.
CREATE OR REPLACE FUNCTION set_audit_head(
  p_tenant text, p_length bigint, p_hashes bytea[], p_mac bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_heads AS h (tenant_id, length, last_hash, mac)
    VALUES (p_tenant, p_length + cardinality(p_hashes), p_hashes[cardinality(p_hashes)], p_mac)
    ON CONFLICT (tenant_id) DO UPDATE
      SET length = excluded.length, last_hash = excluded.last_hash, mac = excluded.mac;
  IF p_length = 0 THEN UPDATE tenants SET audit_begun = true WHERE tenant_id = p_tenant; END IF;
END $$;

-- Queues the records of another service's internal event. One that was dead-lettered may come again when
-- the inbox has purged it: what waits or is sealed is not taken again. No sealer moves a record from the
-- one place to the other meanwhile: this has the workspace's lock.
CREATE OR REPLACE FUNCTION receive_audit(p_tenant text, p_records json) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('access.audit ' || p_tenant, 0));
  INSERT INTO audit_records (tenant_id, id, at, actor_type, actor_id, source, action, subject_id,
    request_id)
  SELECT p_tenant, r.id, r.at, r."actorType", r."actorId", r.source, r.action, r."subjectId",
    r."requestId"
  FROM json_to_recordset(p_records) AS r (id text COLLATE "C", at timestamptz,
    "actorType" text, "actorId" text, source text, action text, "subjectId" text,
    "requestId" text)
  WHERE NOT EXISTS (
    SELECT FROM audit_entries e WHERE e.tenant_id = p_tenant AND e.at = r.at AND e.id = r.id)
  ON CONFLICT DO NOTHING;
END $$;
--- file access gateway/authentication/authorization-lease.sql
-- A lease for one second, for a gateway that has emptied its memory since the last change; returns that
-- change's number. The shared lock waits for a change that is being committed, and makes the next one wait
-- for this: every lease that misses a change is there when the change looks.
CREATE OR REPLACE FUNCTION renew_lease(p_instance text, p_cleared bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_epoch bigint;
  v_until timestamptz;
BEGIN
  SELECT e.epoch INTO v_epoch FROM authorization_epoch e FOR SHARE;
  v_until := clock_timestamp() + interval '1 second';
  INSERT INTO authorization_leases AS l (instance, cleared_epoch, expires_at)
    VALUES (p_instance, p_cleared, CASE WHEN p_cleared = v_epoch THEN v_until ELSE '-infinity' END)
    ON CONFLICT (instance) DO UPDATE SET cleared_epoch = excluded.cleared_epoch,
      expires_at = greatest(l.expires_at, excluded.expires_at);
  RETURN v_epoch;
END $$;

-- Whether a live lease may still answer from before change p_epoch (null: the last one).
CREATE OR REPLACE FUNCTION outdated_leases(p_epoch bigint)
RETURNS TABLE (epoch bigint, outdated boolean)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT asked.epoch, EXISTS (
    SELECT FROM authorization_leases l
    WHERE l.cleared_epoch < asked.epoch AND l.expires_at > clock_timestamp()
  )
  FROM (SELECT coalesce(p_epoch, e.epoch) AS epoch FROM authorization_epoch e) asked
$$;

CREATE OR REPLACE FUNCTION purge_leases() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM authorization_leases WHERE expires_at < now() - interval '1 minute'
$$;

CREATE OR REPLACE FUNCTION note_authorization_change() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE authorization_epoch SET epoch = epoch + 1;
  PERFORM pg_notify('authorization_epoch', '');
  RETURN NULL;
END $$;

-- The columns that find_key reads; a key that is new was in nobody's memory. Deferred, so that the epoch is
-- locked no longer than the commit takes. (PostgreSQL cannot replace a constraint trigger.)
DROP TRIGGER IF EXISTS authorization_change ON keys;
CREATE CONSTRAINT TRIGGER authorization_change AFTER UPDATE OF name, kind, approval, scopes, grants,
  member_id, admin, secret_hash, expires_at, revoked_at OR DELETE ON keys
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_authorization_change();

DROP TRIGGER IF EXISTS authorization_change ON members;
CREATE CONSTRAINT TRIGGER authorization_change AFTER UPDATE OF email, active OR DELETE ON members
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_authorization_change();

DROP TRIGGER IF EXISTS authorization_change ON tenants;
CREATE CONSTRAINT TRIGGER authorization_change AFTER UPDATE OF name, send_open OR DELETE ON tenants
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_authorization_change();
--- file access gateway/authentication/key-authentication.sql
-- lasts_ms: what is left of the key's life; null for a key without an end.
CREATE OR REPLACE FUNCTION find_key(p_id text)
RETURNS TABLE (
  id text, tenant_id text, tenant_name text, send_open boolean, name text, kind text,
  approval text, scopes text[], grants jsonb, member_id text, member_email text, admin boolean,
  secret_hash text, alive boolean, lasts_ms float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT k.id, k.tenant_id, t.name, t.send_open, k.name, k.kind, k.approval, k.scopes, k.grants,
         m.id, m.email, k.admin, k.secret_hash,
         k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()),
         (extract(epoch FROM k.expires_at - now()) * 1000)::float8
  FROM keys k
  JOIN tenants t ON t.tenant_id = k.tenant_id
  LEFT JOIN members m ON m.id = k.member_id AND m.active
  WHERE k.id = p_id
$$;
--- file access gateway/authentication/member-authentication.sql
-- 12 hours idle, 7 days at most (decisions.md section 9).
CREATE OR REPLACE FUNCTION is_session_live(s sessions) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days'
$$;

CREATE OR REPLACE FUNCTION find_session(p_token_hash text)
RETURNS TABLE (
  session_id text, tenant_id text, tenant_name text, send_open boolean, member_id text,
  email text, name text, role text, can_approve boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.id, t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
  FROM sessions s
  JOIN members m ON m.id = s.member_id AND m.active
  JOIN tenants t ON t.tenant_id = s.tenant_id
  WHERE s.token_hash = p_token_hash AND is_session_live(s)
$$;

CREATE OR REPLACE FUNCTION find_sign_in(p_email text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean, password_hash text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve,
         m.password_hash
  FROM members m JOIN tenants t ON t.tenant_id = m.tenant_id
  WHERE m.email = p_email AND m.active AND m.password_hash IS NOT NULL
  ORDER BY m.id
$$;

CREATE OR REPLACE FUNCTION find_invitation(p_token_hash text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
  FROM invitations i
  JOIN members m ON m.id = i.member_id AND m.active
  JOIN tenants t ON t.tenant_id = i.tenant_id
  WHERE i.token_hash = p_token_hash AND i.expires_at > now()
$$;

-- Ends a session of whatever workspace: that of a sign-in replaces the one that it came with.
CREATE OR REPLACE FUNCTION end_session(p_id text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM sessions WHERE id = p_id
$$;

-- Deletes sessions and links whose time is over.
CREATE OR REPLACE FUNCTION purge_sign_ins() RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM sessions s WHERE NOT is_session_live(s);
  DELETE FROM invitations WHERE expires_at <= now();
$$;
--- file access gateway/authentication/sign-in-attempts.sql
-- Seconds until every one of these names has room again; null while they have.
CREATE OR REPLACE FUNCTION sign_in_wait(p_names text[], p_limits integer[], p_now timestamptz)
RETURNS float8 LANGUAGE sql STABLE AS $$
  SELECT max(extract(epoch FROM recent.times[cardinality(recent.times) - n.most + 1]
    + interval '1 minute' - p_now))::float8
  FROM unnest(p_names, p_limits) AS n (name, most)
  JOIN sign_in_attempts a ON a.name = n.name
  CROSS JOIN LATERAL (SELECT ARRAY(
    SELECT t FROM unnest(a.times) t WHERE t > p_now - interval '1 minute' ORDER BY t) AS times) recent
  WHERE cardinality(recent.times) >= n.most
$$;

-- Counts an attempt under each of the names, while all have room; returns under which time, or how long to
-- wait. Whoever is refused is refused after one look, which locks and writes nothing.
CREATE OR REPLACE FUNCTION begin_sign_in(p_names text[], p_limits integer[])
RETURNS TABLE (began timestamptz, wait_seconds float8) LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_wait float8 := sign_in_wait(p_names, p_limits, clock_timestamp());
  v_now timestamptz;
BEGIN
  IF v_wait IS NULL THEN
    -- In one order, that of the column, so that two who share a name never wait for each other.
    INSERT INTO sign_in_attempts AS a (name, times, expires_at)
      SELECT n.name, '{}', now() + interval '1 minute' FROM unnest(p_names) AS n (name)
      ORDER BY n.name COLLATE "C"
      ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at;
    v_now := clock_timestamp();
    v_wait := sign_in_wait(p_names, p_limits, v_now);
  END IF;
  IF v_wait IS NULL THEN
    UPDATE sign_in_attempts a SET expires_at = v_now + interval '1 minute', times = ARRAY(
        SELECT t FROM unnest(a.times || v_now) t WHERE t > v_now - interval '1 minute' ORDER BY t)
      WHERE a.name = ANY (p_names);
  END IF;
  RETURN QUERY SELECT v_now, v_wait;
END $$;

-- Takes out an attempt that succeeded.
CREATE OR REPLACE FUNCTION pass_sign_in(p_names text[], p_began timestamptz) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH locked AS (
    SELECT name FROM sign_in_attempts WHERE name = ANY (p_names) ORDER BY name FOR UPDATE
  )
  UPDATE sign_in_attempts a SET times = array_remove(a.times, p_began)
  FROM locked WHERE a.name = locked.name
$$;

CREATE OR REPLACE FUNCTION purge_sign_in_attempts() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT name FROM sign_in_attempts WHERE expires_at < now() LIMIT 1000
  ), deleted AS (
    DELETE FROM sign_in_attempts a USING old
    WHERE a.name = old.name AND a.expires_at < now() RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file access gateway/http/refusal-log.sql
-- Refusals of a key in the last minute, at whichever gateway; concurrent callers for the same key wait until
-- what is written now is committed.
CREATE OR REPLACE FUNCTION recent_refusals(p_tenant text, p_key text, p_actions text[])
RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('access.refusals ' || p_key, 0));
  RETURN (SELECT count(*) FROM audit_records
          WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
            AND at > now() - interval '1 minute')
       + (SELECT count(*) FROM audit_entries
          WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
            AND at > now() - interval '1 minute');
END $$;
--- file access gateway/tenants/tenants.sql
CREATE OR REPLACE FUNCTION find_tenant(p_name text) RETURNS text LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT tenant_id FROM tenants WHERE name = p_name
$$;

-- The time zone of a workspace, and which day it is there.
CREATE OR REPLACE FUNCTION workspace_clock(p_tenant text) RETURNS TABLE (time_zone text, today date)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT t.time_zone, (now() AT TIME ZONE t.time_zone)::date FROM tenants t
    WHERE t.tenant_id = p_tenant;
END $$;
--- file access operations/audit-records.sql
-- Moves the oldest records into the outbox, as one internal event a tenant, in one commit, and returns how
-- many records they were. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION forward_audit(p_records integer) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_moved integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.forward_audit', 0)) THEN
    RETURN 0;
  END IF;
  WITH oldest AS (
    SELECT a.tenant_id, a.id FROM audit_records a ORDER BY a.tenant_id, a.id LIMIT p_records
  ), moved AS (
    DELETE FROM audit_records a USING oldest o
    WHERE a.tenant_id = o.tenant_id AND a.id = o.id RETURNING a.*
  ), events AS (
    INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
    SELECT m.tenant_id, min(m.id), 'audit.recorded', 'audit', nextval('audit_event_numbers'),
      json_build_object('occurredAt', now(), 'records', json_agg(json_build_object(
        'id', m.id,
        'at', to_char(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'actorType', m.actor_type, 'actorId', m.actor_id, 'source', m.source,
        'action', m.action, 'subjectId', m.subject_id, 'requestId', m.request_id
      ) ORDER BY m.id))::text
    FROM moved m GROUP BY m.tenant_id
  )
  SELECT count(*) INTO v_moved FROM moved;
  RETURN v_moved;
END $$;

-- Records of a tenant that are not sealed: those that wait here, and those in internal events that wait
-- in the outbox or are parked there.
CREATE OR REPLACE FUNCTION count_audit_backlog(p_tenant text) RETURNS float8
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT count(*) FROM audit_records WHERE tenant_id = p_tenant)
    + (SELECT coalesce(sum(json_array_length(envelope::json->'records')), 0) FROM outbox
       WHERE tenant_id = p_tenant AND resource = 'audit' AND type = 'audit.recorded');
END $$;
--- file access operations/inbox.sql
-- Sets the tenant and marks the event as consumed, in one round trip. False: it had its effect before. A
-- concurrent delivery of the same event is waited for.
CREATE OR REPLACE FUNCTION take_event(p_tenant text, p_consumer text, p_event text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  INSERT INTO inbox (tenant_id, consumer, event_id) VALUES (p_tenant, p_consumer, p_event)
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- Deletes events of every tenant that no bus keeps long enough to deliver again, a batch at a time.
CREATE OR REPLACE FUNCTION purge_inbox() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT tenant_id, consumer, event_id FROM inbox
    WHERE consumed_at < now() - interval '7 days' LIMIT 1000
  ), deleted AS (
    DELETE FROM inbox i USING old
    WHERE i.tenant_id = old.tenant_id AND i.consumer = old.consumer AND i.event_id = old.event_id
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file access operations/outbox-shards.sql
-- Leases free shards that have events, those served longest ago first, and returns their oldest events:
-- resources by their oldest event, a resource's events by sequence, as many as it has among the shard's
-- oldest p_rows, and no more once a shard's are 256 KiB: a relay holds them in memory. A shard that was
-- emptied in this moment is returned without events; it has to be released all the same.
--
-- Plans are made while the queue is empty and kept while it fills: hence no sequential scans.
CREATE OR REPLACE FUNCTION claim_outbox(
  p_owner text, p_lease_ms integer, p_shards integer, p_rows integer)
RETURNS TABLE (shard smallint, token bigint, event_id text, type text, tenant_id text,
  resource text, envelope text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_shards smallint[];
BEGIN
  v_shards := ARRAY(
    SELECT s.shard FROM outbox_shards s
    WHERE s.free_at <= now()
      AND EXISTS (SELECT FROM outbox o WHERE o.shard = s.shard AND o.refusal IS NULL)
    ORDER BY s.free_at, s.shard LIMIT p_shards FOR UPDATE SKIP LOCKED);
  IF cardinality(v_shards) = 0 THEN RETURN; END IF;
  UPDATE outbox_shards s SET owner = p_owner, token = s.token + 1,
      free_at = clock_timestamp() + p_lease_ms * interval '1 ms'
    WHERE s.shard = ANY (v_shards);
  -- A statement of its own: it sees what the shards' last owners deleted before they released them.
  RETURN QUERY
    SELECT s.shard, s.token, e.event_id, e.type, e.tenant_id, e.resource, e.envelope
    FROM outbox_shards s LEFT JOIN LATERAL (
      SELECT o.*, r.oldest,
        sum(octet_length(o.envelope)) OVER (ORDER BY r.oldest, o.sequence) AS bytes
      FROM (
        SELECT w.tenant_id, w.resource, min(w.position) AS oldest, count(*) AS rows FROM (
          SELECT o.tenant_id, o.resource, o.position FROM outbox o
          WHERE o.shard = s.shard AND o.refusal IS NULL ORDER BY o.position LIMIT p_rows) w
        GROUP BY w.tenant_id, w.resource) r
      CROSS JOIN LATERAL (
        SELECT * FROM outbox o
        WHERE o.tenant_id = r.tenant_id AND o.resource = r.resource AND o.refusal IS NULL
        ORDER BY o.sequence LIMIT r.rows) o) e
    ON e.bytes - octet_length(e.envelope) < 262144
    WHERE s.shard = ANY (v_shards)
    ORDER BY s.shard, e.oldest, e.sequence;
END $$;

-- Deletes what was published, parks what was refused with its cause, and releases the shards: only in
-- shards whose token is still the one given. Returns how many those are.
CREATE OR REPLACE FUNCTION complete_batch(p_shards smallint[], p_tokens bigint[], p_published text[],
  p_refused text[], p_causes text[], p_more boolean)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_owned smallint[];
BEGIN
  v_owned := ARRAY(
    SELECT s.shard FROM outbox_shards s
    JOIN unnest(p_shards, p_tokens) AS leased (shard, token)
      ON leased.shard = s.shard AND leased.token = s.token
    ORDER BY s.shard FOR UPDATE OF s);
  DELETE FROM outbox o WHERE o.event_id = ANY (p_published) AND o.shard = ANY (v_owned);
  UPDATE outbox o SET refusal = refused.cause
    FROM unnest(p_refused, p_causes) AS refused (id, cause)
    WHERE o.event_id = refused.id AND o.shard = ANY (v_owned);
  UPDATE outbox_shards s SET owner = NULL, free_at = now() WHERE s.shard = ANY (v_owned);
  IF p_more THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN cardinality(v_owned);
END $$;
--- file access operations/parked-events.sql
-- The oldest events that the bus has refused. Their payload is not for an operator to read.
CREATE OR REPLACE FUNCTION parked_events(p_limit integer)
RETURNS TABLE (id text, type text, tenant_id text, resource text, sequence float8,
  created_at timestamptz, refusal text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT o.event_id, o.type, o.tenant_id, o.resource, o.sequence::float8, o.created_at, o.refusal
  FROM outbox o WHERE o.refusal IS NOT NULL ORDER BY o.position LIMIT p_limit
$$;

-- Lets all of them be published once more, and returns how many they are; relays are woken.
CREATE OR REPLACE FUNCTION release_parked() RETURNS float8 LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_released bigint;
BEGIN
  UPDATE outbox SET refusal = NULL WHERE refusal IS NOT NULL;
  GET DIAGNOSTICS v_released = ROW_COUNT;
  IF v_released > 0 THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN v_released;
END $$;
--- file access operations/replies.sql
-- Sets the tenant and waits for a concurrent holder of the key, two seconds at most (55P03), in one round
-- trip. Returns the reply recorded under the key; null: the key is this transaction's. An expired reply is
-- deleted, as it would be in the way.
CREATE OR REPLACE FUNCTION claim_key(p_tenant text, p_key text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_reply replies;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true), set_config('lock_timeout', '2s', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('reply ' || p_tenant || ' ' || p_key, 0));
  -- A statement of its own: it sees what the last holder of the key has committed.
  SELECT * INTO v_reply FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v_reply.expires_at >= now() THEN RETURN to_json(v_reply); END IF;
  DELETE FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
  RETURN NULL;
END $$;

-- Deletes what is past its 24 hours, of every tenant, a batch at a time.
CREATE OR REPLACE FUNCTION purge_replies() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH expired AS (
    SELECT tenant_id, dedupe_key FROM replies WHERE expires_at < now() LIMIT 1000
  ), deleted AS (
    DELETE FROM replies r USING expired e
    WHERE r.tenant_id = e.tenant_id AND r.dedupe_key = e.dedupe_key
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file access operations/volumes.sql
-- Moves what has happened into the counters, of every tenant, a batch at a time, in one statement: a
-- reader sees it in one place or the other. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION fold_volumes() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folded bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.fold_volumes', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM volume_deltas
    WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM volume_deltas d LIMIT 10000))
    RETURNING *
  ), counted AS (
    INSERT INTO volumes AS v (tenant_id, quarter, kind, scope, amount)
    SELECT t.tenant_id, date_bin('15 minutes', t.at, 'epoch'), t.kind, t.scope, sum(t.amount)
    FROM taken t GROUP BY 1, 2, 3, 4
    ON CONFLICT (tenant_id, quarter, kind, scope)
      DO UPDATE SET amount = v.amount + excluded.amount
  )
  SELECT count(*) INTO v_folded FROM taken;
  RETURN v_folded;
END $$;

-- Volumes of the days p_from to p_to in a time zone, counters and what is not in them yet: of each kind
-- by day, by scope, and altogether (both null). A time belongs to the day that the zone's clocks show then,
-- so that no day is counted twice or left out when they change.
CREATE OR REPLACE FUNCTION volumes_of(p_tenant text, p_from date, p_to date, p_zone text)
RETURNS TABLE (kind text, day date, scope text, amount bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- No zone is a whole day away from UTC.
  v_since timestamptz := (p_from - 1)::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_to + 2)::timestamp AT TIME ZONE 'UTC';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT here.kind, here.day, here.scope, sum(here.amount)::bigint
    FROM (
      SELECT v.kind, (v.quarter AT TIME ZONE p_zone)::date AS day, v.scope, v.amount
      FROM volumes v
      WHERE v.tenant_id = p_tenant AND v.quarter >= v_since AND v.quarter < v_until
      UNION ALL
      SELECT d.kind, (d.at AT TIME ZONE p_zone)::date, d.scope, d.amount
      FROM volume_deltas d
      WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
    ) here
    WHERE here.day BETWEEN p_from AND p_to
    GROUP BY GROUPING SETS ((here.kind, here.day), (here.kind, here.scope), (here.kind));
END $$;
--- migration mail InitMail1765100000000

  -- The reply of a write, under the message's id or the caller's Idempotency-Key.
  CREATE TABLE replies (
    tenant_id text COLLATE "C" NOT NULL,
    dedupe_key text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    status smallint,
    body text,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, dedupe_key)
  );
  CREATE INDEX replies_expiry ON replies (expires_at);
  
  
  ALTER TABLE replies ENABLE ROW LEVEL SECURITY;
  ALTER TABLE replies FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON replies
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON replies TO postroom_mail_lookup;
  CREATE POLICY lookup ON replies TO postroom_mail_lookup USING (true);


  CREATE TABLE outbox (
    position bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id text COLLATE "C" NOT NULL,
    -- The key: a change pays for as few indexes as possible.
    event_id text COLLATE "C" PRIMARY KEY,
    type text NOT NULL,
    resource text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    envelope text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The hash is the one of hash partitioning, which PostgreSQL keeps between versions.
    shard smallint NOT NULL GENERATED ALWAYS AS
      ((hashtextextended(tenant_id || '/' || resource, 0) & 15)::smallint) STORED,
    -- Why the bus never takes this event: it is parked for an operator, and others pass it.
    refusal text,
    UNIQUE (tenant_id, resource, sequence)
  );
  CREATE INDEX outbox_waiting ON outbox (shard, position) WHERE refusal IS NULL;
  
  
  ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
  ALTER TABLE outbox FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON outbox
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO postroom_mail_lookup;
  CREATE POLICY lookup ON outbox TO postroom_mail_lookup USING (true);


  CREATE TABLE outbox_shards (
    shard smallint PRIMARY KEY,
    owner text,
    token bigint NOT NULL DEFAULT 0,
    -- When the shard was released, or its lease ends.
    free_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  INSERT INTO outbox_shards (shard) SELECT generate_series(0, 15);
  
  ALTER TABLE outbox_shards ENABLE ROW LEVEL SECURITY;
  ALTER TABLE outbox_shards FORCE ROW LEVEL SECURITY;

  GRANT SELECT, UPDATE ON outbox_shards TO postroom_mail_lookup;
  CREATE POLICY lookup ON outbox_shards TO postroom_mail_lookup USING (true);


  -- Which events have had their effect, by consumer.
  CREATE TABLE inbox (
    tenant_id text COLLATE "C" NOT NULL,
    consumer text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    consumed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, consumer, event_id)
  );
  CREATE INDEX inbox_age ON inbox (consumed_at);
  
  
  ALTER TABLE inbox ENABLE ROW LEVEL SECURITY;
  ALTER TABLE inbox FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON inbox
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON inbox TO postroom_mail_lookup;
  CREATE POLICY lookup ON inbox TO postroom_mail_lookup USING (true);


  -- A queue: a record is taken out of it once, by tenant and oldest first, so one index is enough.
  CREATE TABLE audit_records (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    actor_type text NOT NULL,
    actor_id text COLLATE "C",
    source text NOT NULL,
    action text NOT NULL,
    subject_id text COLLATE "C",
    request_id text,
    PRIMARY KEY (tenant_id, id)
  );
  
  
  ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_records FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON audit_records
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON audit_records TO postroom_mail_lookup;
  CREATE POLICY lookup ON audit_records TO postroom_mail_lookup USING (true);


  -- Numbers the internal events that carry audit records to the sealer.
  CREATE SEQUENCE audit_event_numbers;
  GRANT USAGE ON SEQUENCE audit_event_numbers TO postroom_mail_lookup;

  -- What has happened and is not in the counters yet: written with it. Nothing is looked up here, so there
  -- is no key and no index to keep: writers never wait for each other.
  CREATE TABLE volume_deltas (
    tenant_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    -- A name of volumeKinds in the contracts.
    kind text COLLATE "C" NOT NULL,
    -- What the kind is counted by beside the day, such as a mailbox's address; empty for nothing.
    scope text COLLATE "C" NOT NULL DEFAULT '',
    amount integer NOT NULL DEFAULT 1
  );
  
  
  ALTER TABLE volume_deltas ENABLE ROW LEVEL SECURITY;
  ALTER TABLE volume_deltas FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON volume_deltas
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON volume_deltas TO postroom_mail_lookup;
  CREATE POLICY lookup ON volume_deltas TO postroom_mail_lookup USING (true);


  -- By quarter of an hour: a day of any time zone is made of whole ones, also of one that is 5:45
  -- ahead, on the days that clocks change, and after a workspace has moved to another zone.
  CREATE TABLE volumes (
    tenant_id text COLLATE "C" NOT NULL,
    quarter timestamptz(0) NOT NULL,
    kind text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (tenant_id, quarter, kind, scope)
  ) WITH (fillfactor = 70);
  
  
  ALTER TABLE volumes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE volumes FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON volumes
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, INSERT, UPDATE ON volumes TO postroom_mail_lookup;
  CREATE POLICY lookup ON volumes TO postroom_mail_lookup USING (true);


  CREATE TABLE mailboxes (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    -- The address as mail is routed to it: one spelling for all that reach it, in the deployment.
    routing_address text COLLATE "C" NOT NULL CONSTRAINT mailboxes_address UNIQUE,
    name text NOT NULL,
    automation boolean NOT NULL,
    access jsonb NOT NULL,
    -- Secrets inside these three are sealed with the keyring.
    outgoing jsonb,
    imap jsonb,
    dkim jsonb,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  CREATE INDEX mailboxes_by_address ON mailboxes (tenant_id, address);
  CREATE INDEX mailboxes_domain ON mailboxes (split_part(routing_address, '@', 2));
  
  
  ALTER TABLE mailboxes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE mailboxes FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON mailboxes
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT (tenant_id, id, address, routing_address, automation) ON mailboxes TO postroom_mail_lookup;
  CREATE POLICY lookup ON mailboxes TO postroom_mail_lookup USING (true);


  CREATE TABLE signatures (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- Null: for any mailbox.
    mailbox_id text COLLATE "C",
    name text NOT NULL,
    html text NOT NULL,
    text text NOT NULL,
    -- The text is a reading of the HTML, and is read again when that changes.
    text_derived boolean NOT NULL,
    is_default boolean NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE UNIQUE INDEX signatures_default ON signatures (tenant_id, coalesce(mailbox_id, ''))
    WHERE is_default;
  
  
  ALTER TABLE signatures ENABLE ROW LEVEL SECURITY;
  ALTER TABLE signatures FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON signatures
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  -- How a mailbox writes its labels: the first spelling stays. The key is a hash of sameText(name).
  CREATE TABLE labels (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, key)
  );
  
  
  ALTER TABLE labels ENABLE ROW LEVEL SECURITY;
  ALTER TABLE labels FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON labels
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT ON labels TO postroom_mail_lookup;
  CREATE POLICY lookup ON labels TO postroom_mail_lookup USING (true);


  CREATE TABLE conversations (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    preview text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'pending', 'closed')),
    placement text COLLATE "C" NOT NULL DEFAULT 'inbox'
      CHECK (placement IN ('inbox', 'archived', 'trash', 'spam')),
    assignee text,
    -- Nobody is '': what is compared must be a plain column, since row-level security keeps an expression
    -- from using an index.
    assignee_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(assignee, '')) STORED,
    team_id text COLLATE "C",
    labels text[] NOT NULL DEFAULT '{}',
    unread boolean NOT NULL DEFAULT false,
    message_count integer NOT NULL DEFAULT 0,
    comment_count integer NOT NULL DEFAULT 0,
    draft_count integer NOT NULL DEFAULT 0,
    has_attachments boolean NOT NULL DEFAULT false,
    participants jsonb NOT NULL DEFAULT '[]',
    sender jsonb,
    last_message_id text COLLATE "C",
    last_message_at timestamptz(3) NOT NULL,
    waiting_since timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    -- When the row was last written, by the database's clock and never before updated_at: the order of
    -- pages by change (docs/adr/0017).
    changed_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 0,
    -- The number of its last event: counted on its row, so that the numbers have no gap.
    event_sequence integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  ) WITH (fillfactor = 85);
  CREATE INDEX conversations_list ON conversations
    (tenant_id, mailbox_id, placement, last_message_at DESC, id DESC);
  CREATE INDEX conversations_by_change ON conversations (tenant_id, mailbox_id, changed_at, id);
  CREATE INDEX conversations_by_status ON conversations
    (tenant_id, mailbox_id, status, placement, last_message_at DESC, id DESC);
  CREATE INDEX conversations_by_assignee ON conversations
    (tenant_id, mailbox_id, assignee_key, status, placement, last_message_at DESC, id DESC);
  CREATE INDEX conversations_open ON conversations (tenant_id)
    WHERE placement = 'inbox' AND status = 'open';
  
  
  ALTER TABLE conversations ENABLE ROW LEVEL SECURITY;
  ALTER TABLE conversations FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON conversations
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT (tenant_id, id, mailbox_id, placement, status, unread, labels, assignee,
      last_message_id, last_message_at) ON conversations TO postroom_mail_lookup;
  CREATE POLICY lookup ON conversations TO postroom_mail_lookup USING (true);


  -- The labels of conversations again, in the order of lists. conversations.labels is the truth; a
  -- GIN index on it would serve nobody, since row-level security keeps @> from using one.
  CREATE TABLE conversation_labels (
    tenant_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    status text NOT NULL,
    placement text COLLATE "C" NOT NULL,
    last_message_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, label)
  );
  CREATE INDEX conversation_labels_list ON conversation_labels
    (tenant_id, mailbox_id, label, status, placement, last_message_at DESC, conversation_id DESC);
  
  
  ALTER TABLE conversation_labels ENABLE ROW LEVEL SECURITY;
  ALTER TABLE conversation_labels FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON conversation_labels
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE comments (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    author jsonb NOT NULL,
    text text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
  );
  CREATE INDEX comments_thread ON comments (tenant_id, conversation_id, created_at, id);
  
  
  ALTER TABLE comments ENABLE ROW LEVEL SECURITY;
  ALTER TABLE comments FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON comments
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  -- A conversation hidden from one member. A row whose time has come counts for nothing; it stays for its
  -- version, which a renewed snooze must not repeat.
  CREATE TABLE snoozes (
    tenant_id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    reminder_id text COLLATE "C" NOT NULL,
    until timestamptz(3) NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (tenant_id, member_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
  );
  CREATE INDEX snoozes_end ON snoozes (tenant_id, member_id, until);
  
  
  ALTER TABLE snoozes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE snoozes FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON snoozes
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE messages (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    direction text NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    sender jsonb,
    recipients jsonb NOT NULL,
    cc jsonb NOT NULL,
    bcc jsonb NOT NULL,
    reply_to jsonb NOT NULL,
    subject text NOT NULL,
    preview text NOT NULL,
    text text,
    html text,
    extracted_text text,
    has_remote_content boolean NOT NULL,
    sent_at timestamptz(3),
    received_at timestamptz(3) NOT NULL,
    message_id text COLLATE "C",
    in_reply_to text COLLATE "C",
    reference_ids text[] COLLATE "C" NOT NULL,
    is_auto_reply boolean NOT NULL,
    bounce boolean NOT NULL,
    auth jsonb NOT NULL,
    priority text,
    size_bytes integer NOT NULL,
    provider_message_id text,
    receipt_source text,
    created_by jsonb,
    content_fingerprint text COLLATE "C",
    -- False: it could not be parsed and is shown by the plain fallback.
    parsed boolean NOT NULL,
    -- The transaction that brought the message. What a snapshot does not see of these came after it,
    -- whatever the message's own time says: an import brings old mail, and a delivery has the time of
    -- its beginning. A bigint, since row-level security lets no comparison of xid8 use an index.
    kept_by bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
  );
  CREATE INDEX messages_thread ON messages (tenant_id, conversation_id, received_at, id);
  CREATE UNIQUE INDEX messages_content
    ON messages (tenant_id, mailbox_id, message_id, content_fingerprint)
    WHERE direction = 'inbound' AND message_id IS NOT NULL;
  CREATE INDEX messages_nameless ON messages (tenant_id, mailbox_id, content_fingerprint)
    WHERE direction = 'inbound' AND message_id IS NULL;
  CREATE INDEX messages_kept ON messages (tenant_id, mailbox_id, kept_by);
  
  
  ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
  ALTER TABLE messages FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON messages
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE attachments (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    -- Its place among the attachments of its message, from 0.
    position integer NOT NULL,
    filename text,
    mime_type text NOT NULL,
    declared_mime_type text,
    size_bytes integer NOT NULL,
    inline boolean NOT NULL,
    content_id text,
    -- Where its message has its bytes: {start, end, encoding}. Null: no such place can be named.
    source jsonb,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, message) REFERENCES messages
  );
  CREATE INDEX attachments_thread ON attachments (tenant_id, conversation_id, message, position);
  
  
  ALTER TABLE attachments ENABLE ROW LEVEL SECURITY;
  ALTER TABLE attachments FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON attachments
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  -- Messages as they came, byte for byte. Their trace header stands apart (RFC 5321 section 4.4), so
  -- that what is parsed again later is what was parsed at arrival. A message that is sent is kept before it
  -- leaves, and its row in messages only once it has left.
  CREATE TABLE raw_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    -- Where in its message a piece begins, in bytes.
    start integer NOT NULL DEFAULT 0,
    trace text NOT NULL,
    raw bytea NOT NULL,
    PRIMARY KEY (tenant_id, message, start)
  );
  -- Mostly base64: compressing it costs a second for a large message and gains little.
  ALTER TABLE raw_messages ALTER COLUMN raw SET STORAGE EXTERNAL;
  
  
  ALTER TABLE raw_messages ENABLE ROW LEVEL SECURITY;
  ALTER TABLE raw_messages FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON raw_messages
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT (tenant_id, message), DELETE ON raw_messages TO postroom_mail_lookup;
  CREATE POLICY lookup ON raw_messages TO postroom_mail_lookup USING (true);


  -- Messages whose pieces are kept, and which no send has begun to transmit (docs/adr/0036).
  CREATE TABLE staged_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, message)
  );
  CREATE INDEX staged_messages_age ON staged_messages (staged_at);
  
  
  ALTER TABLE staged_messages ENABLE ROW LEVEL SECURITY;
  ALTER TABLE staged_messages FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON staged_messages
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, UPDATE, DELETE ON staged_messages TO postroom_mail_lookup;
  CREATE POLICY lookup ON staged_messages TO postroom_mail_lookup USING (true);


  -- Which conversation a Message-ID belongs to: of messages that are here, and of those that are
  -- only referred to, so that a parent that arrives after its reply joins it.
  CREATE TABLE thread_ids (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, message_id)
  );
  
  
  ALTER TABLE thread_ids ENABLE ROW LEVEL SECURITY;
  ALTER TABLE thread_ids FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON thread_ids
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE search_documents (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    document tsvector NOT NULL,
    PRIMARY KEY (tenant_id, message),
    FOREIGN KEY (tenant_id, message) REFERENCES messages ON DELETE CASCADE
  );
  CREATE INDEX search_documents_newest ON search_documents
    (tenant_id, mailbox_id, at DESC, message DESC);
  -- Without a list of pending entries, which every search would have to read through.
  CREATE INDEX search_documents_words ON search_documents USING gin (document)
    WITH (fastupdate = off);
  
  
  ALTER TABLE search_documents ENABLE ROW LEVEL SECURITY;
  ALTER TABLE search_documents FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON search_documents
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT ON search_documents TO postroom_mail_lookup;
  CREATE POLICY lookup ON search_documents TO postroom_mail_lookup USING (true);


  CREATE TYPE search_conditions AS (
    placements text[], statuses text[], unread boolean, labels text[], without_labels text[],
    assignees text[], without_assignees text[], since timestamptz, until timestamptz
  );
;

  CREATE TABLE drafts (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C",
    in_reply_to text COLLATE "C",
    signature_id text COLLATE "C",
    recipients jsonb NOT NULL,
    cc jsonb NOT NULL,
    bcc jsonb NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    created_by jsonb NOT NULL,
    source text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes,
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations,
    FOREIGN KEY (tenant_id, in_reply_to) REFERENCES messages,
    -- A draft outlives its signature.
    FOREIGN KEY (tenant_id, signature_id) REFERENCES signatures ON DELETE SET NULL (signature_id)
  );
  CREATE INDEX drafts_list ON drafts (tenant_id, mailbox_id, updated_at DESC, id DESC);
  CREATE INDEX drafts_signature ON drafts (tenant_id, signature_id) WHERE signature_id IS NOT NULL;
  
  
  ALTER TABLE drafts ENABLE ROW LEVEL SECURITY;
  ALTER TABLE drafts FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON drafts
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE draft_files (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    draft_id text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    filename text,
    mime_type text NOT NULL,
    declared_mime_type text,
    size_bytes integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, draft_id) REFERENCES drafts ON DELETE CASCADE
  );
  CREATE INDEX draft_files_order ON draft_files (tenant_id, draft_id, position);
  ALTER TABLE draft_files ALTER COLUMN bytes SET STORAGE EXTERNAL;
  
  
  ALTER TABLE draft_files ENABLE ROW LEVEL SECURITY;
  ALTER TABLE draft_files FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON draft_files
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE dlp_rules (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    detector text NOT NULL,
    pattern text,
    action text NOT NULL,
    -- Addresses, which never change; none: every mailbox.
    mailboxes text[] NOT NULL,
    enabled boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id)
  );
  
  
  ALTER TABLE dlp_rules ENABLE ROW LEVEL SECURITY;
  ALTER TABLE dlp_rules FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON dlp_rules
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


  CREATE TABLE dlp_warnings (
    tenant_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the token; what was given out is kept nowhere.
    token_hash text COLLATE "C" NOT NULL,
    -- Who was warned: an API key, or a member.
    asker_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    -- What was warned of: rules, each in its version.
    rules text[] NOT NULL,
    expires_at timestamptz NOT NULL,
    -- The token of the reservation that has it; a message that has left keeps it until it is purged.
    taken_by text COLLATE "C",
    PRIMARY KEY (tenant_id, token_hash)
  );
  CREATE INDEX dlp_warnings_expiry ON dlp_warnings (expires_at);
  
  
  ALTER TABLE dlp_warnings ENABLE ROW LEVEL SECURITY;
  ALTER TABLE dlp_warnings FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON dlp_warnings
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT, DELETE ON dlp_warnings TO postroom_mail_lookup;
  CREATE POLICY lookup ON dlp_warnings TO postroom_mail_lookup USING (true);


  CREATE TABLE send_reservations (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL
      CHECK (state IN ('reserved', 'transmitting', 'sent', 'failed', 'unknown')),
    -- Null: made where there is nothing that a request could be compared with.
    fingerprint text COLLATE "C",
    fingerprint_version smallint,
    -- The request on the bus that made it: a redelivery gets the answer of that one.
    request text COLLATE "C" NOT NULL,
    -- Of the process that works on it: its steps are refused once another has the row.
    token text COLLATE "C" NOT NULL,
    -- Until when that process is believed to live; of an unknown one, when to look for it again.
    lease_until timestamptz NOT NULL,
    -- RFC 5322, without angle brackets.
    message_id text COLLATE "C" NOT NULL,
    -- From transmitting on: the message that it is or may become, whose bytes are in raw_messages,
    -- and what its receipt needs beside them.
    message text COLLATE "C",
    outgoing jsonb,
    -- What the mail server said: of a refusal, or of what was handed over without a last word.
    said jsonb,
    -- The receipt as it was first answered.
    receipt text,
    created_at timestamptz NOT NULL,
    -- An unknown one outlives it.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, idempotency_key),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE INDEX send_reservations_open ON send_reservations (lease_until)
    WHERE state IN ('transmitting', 'unknown');
  CREATE INDEX send_reservations_expiry ON send_reservations (expires_at);
  
  
  ALTER TABLE send_reservations ENABLE ROW LEVEL SECURITY;
  ALTER TABLE send_reservations FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON send_reservations
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

  
  GRANT SELECT (tenant_id, mailbox_id, idempotency_key, state, lease_until, created_at, expires_at),
     UPDATE (lease_until), DELETE ON send_reservations TO postroom_mail_lookup;
  CREATE POLICY lookup ON send_reservations TO postroom_mail_lookup USING (true);


  CREATE TABLE imports (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    bytes_read bigint NOT NULL DEFAULT 0,
    imported integer NOT NULL DEFAULT 0,
    duplicates integer NOT NULL DEFAULT 0,
    unparsed integer NOT NULL DEFAULT 0,
    started_at timestamptz(3) NOT NULL,
    -- The last sign of life: an import that stopped giving any has failed, whoever ran it.
    progressed_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE INDEX imports_of_mailbox ON imports (tenant_id, mailbox_id, id DESC);
  
  
  ALTER TABLE imports ENABLE ROW LEVEL SECURITY;
  ALTER TABLE imports FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON imports
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));


--- file mail mail/attachments/attachments.sql
-- The message an attachment belongs to, its place among that message's, and where its bytes are.
CREATE OR REPLACE FUNCTION find_attachment(p_tenant text, p_mailbox text, p_id text)
RETURNS TABLE (
  message text, filename text, mime_type text, size integer, place integer, source jsonb)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.message, a.filename, a.mime_type, a.size_bytes, a.position, a.source FROM attachments a
    JOIN messages g ON g.tenant_id = a.tenant_id AND g.id = a.message
    JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
    WHERE a.tenant_id = p_tenant AND a.id = p_id AND m.address = p_mailbox;
END $$;

CREATE OR REPLACE FUNCTION draft_file(p_tenant text, p_mailbox text, p_id text)
RETURNS TABLE (filename text, mime_type text, bytes bytea) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT f.filename, f.mime_type, f.bytes FROM draft_files f
    JOIN drafts d ON d.tenant_id = f.tenant_id AND d.id = f.draft_id
    JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
    WHERE f.tenant_id = p_tenant AND f.id = p_id AND m.address = p_mailbox;
END $$;
--- file mail mail/conversations/conversation-pages.sql
-- The hot reads: each sets the tenant and then queries, in one round trip. Stable, so that functions called
-- by one statement see one state of the data.

CREATE OR REPLACE FUNCTION mailbox_exists(p_tenant text, p_mailbox text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox);
END $$;

-- The inbox, newest first.
CREATE OR REPLACE FUNCTION list_conversations(p_tenant text, p_mailbox text, p_limit integer)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
      SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
    ORDER BY c.last_message_at DESC, c.id DESC
    LIMIT p_limit;
END $$;

-- The inbox of a member who may have snoozed something: most have nothing that is hidden now, and for them
-- it is the list of everybody.
CREATE OR REPLACE FUNCTION list_conversations(
  p_tenant text, p_mailbox text, p_limit integer, p_member text, p_now timestamptz)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF EXISTS (SELECT FROM snoozes s
      WHERE s.tenant_id = p_tenant AND s.member_id = p_member AND s.until > p_now) THEN
    RETURN QUERY
      SELECT c.* FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
          SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
        AND NOT EXISTS (
          SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
            AND s.conversation_id = c.id AND s.until > p_now)
      ORDER BY c.last_message_at DESC, c.id DESC
      LIMIT p_limit;
  ELSE
    -- The statement of everybody's list again: through that function its rows would be copied twice.
    RETURN QUERY
      SELECT c.* FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
        SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
      ORDER BY c.last_message_at DESC, c.id DESC
      LIMIT p_limit;
  END IF;
END $$;

-- Pages newest first, from a place in the list as the snapshot p_as_of saw it; without one, as it is
-- (docs/adr/0022). There is a function for each index that can drive a page: what a condition says twice,
-- the planner counts twice, so each asks for the rest alone. An assignee of '' is nobody.
--
-- Their plans are kept (planning took longer than reading), and a kept plan overestimates how much has
-- come since the first page: without these settings it would read every conversation, and be compiled at
-- each call.

-- What a page begins with: its mailbox (null: nothing can match), the label as the mailbox writes it, and
-- the conversations that mail has come to since p_as_of. These are shown where they stood then, by
-- moved_conversations. An import makes hundreds of thousands that were not there, whose messages need not
-- be looked at; a minute is more than clocks differ.
--
-- A transaction that is not begun yet can have brought nothing: such a number is one of another server,
-- whose rows were restored into this one.
CREATE OR REPLACE FUNCTION page_scope(
  p_tenant text, p_mailbox text, p_now timestamptz, p_as_of pg_snapshot, p_label_key text,
  OUT mailbox text, OUT label text, OUT moved text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_since bigint := pg_snapshot_xmin(p_as_of)::text::bigint;
  v_begun bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  moved := '{}';
  SELECT m.id INTO mailbox FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.address = p_mailbox;
  IF p_label_key IS NOT NULL THEN
    SELECT l.name INTO label FROM labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = mailbox AND l.key = p_label_key;
    IF label IS NULL THEN mailbox := NULL; END IF;
  END IF;
  IF p_as_of IS NOT NULL THEN
    SELECT coalesce(array_agg(c.id), '{}') INTO moved FROM (
        SELECT DISTINCT m.conversation_id AS id FROM messages m
        WHERE m.tenant_id = p_tenant AND m.mailbox_id = mailbox
          AND m.kept_by >= v_since AND m.kept_by < v_begun
          AND NOT pg_visible_in_snapshot(m.kept_by::text::xid8, p_as_of)) later
      JOIN conversations c ON c.tenant_id = p_tenant AND c.id = later.id
        AND c.created_at < p_now + interval '1 minute';
  END IF;
END $$;

-- Of the conversations that mail has come to, those of a page: the messages that the snapshot sees say
-- where they stood.
CREATE OR REPLACE FUNCTION moved_conversations(
  p_tenant text, p_moved text[], p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label text)
RETURNS TABLE (conversation conversations, stood timestamptz, id text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_begun bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
BEGIN
  IF p_moved = '{}' THEN RETURN; END IF;
  RETURN QUERY
    SELECT c, until_then.stood, c.id FROM unnest(p_moved) AS moved (id)
    JOIN conversations c ON c.tenant_id = p_tenant AND c.id = moved.id
    CROSS JOIN LATERAL (
      SELECT max(m.received_at) AS stood FROM messages m
      WHERE m.tenant_id = p_tenant AND m.conversation_id = c.id
        AND (m.kept_by >= v_begun OR pg_visible_in_snapshot(m.kept_by::text::xid8, p_as_of))
    ) until_then
    WHERE c.placement = ANY (p_placements) AND c.status = ANY (p_statuses)
      AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
      AND (p_label IS NULL OR p_label = ANY (c.labels))
      AND NOT EXISTS (
        SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
          AND s.conversation_id = c.id AND s.until > p_now)
      AND (until_then.stood, c.id) < (p_after_at, p_after_id)
    ORDER BY until_then.stood DESC, c.id DESC
    LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION page_by_placement(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
RETURNS TABLE (conversation conversations, stood_at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v record;
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, p_as_of, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT page.c, page.stood FROM (
      SELECT found.* FROM unnest(p_placements) AS place (placement)
      CROSS JOIN LATERAL (
        SELECT c, c.last_message_at AS stood, c.id FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.mailbox_id = v.mailbox
          AND c.status = ANY (p_statuses) AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
          AND c.placement = place.placement
          AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
          AND c.created_at < p_now + interval '1 minute' AND c.id <> ALL (v.moved)
          AND (v.label IS NULL OR v.label = ANY (c.labels))
          AND NOT EXISTS (
            SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
              AND s.conversation_id = c.id AND s.until > p_now)
        ORDER BY c.last_message_at DESC, c.id DESC
        LIMIT p_limit) found
      UNION ALL
      SELECT * FROM moved_conversations(p_tenant, v.moved, p_member, p_now, p_as_of, p_after_at,
        p_after_id, p_limit, p_placements, p_statuses, p_assignee, v.label)
    ) page
    ORDER BY page.stood DESC, page.id DESC
    LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION page_by_status(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
RETURNS TABLE (conversation conversations, stood_at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v record;
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, p_as_of, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT page.c, page.stood FROM (
      SELECT found.* FROM unnest(p_placements) AS place (placement)
      CROSS JOIN unnest(p_statuses) AS work (status)
      CROSS JOIN LATERAL (
        SELECT c, c.last_message_at AS stood, c.id FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.mailbox_id = v.mailbox
          AND c.status = work.status AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
          AND c.placement = place.placement
          AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
          AND c.created_at < p_now + interval '1 minute' AND c.id <> ALL (v.moved)
          AND (v.label IS NULL OR v.label = ANY (c.labels))
          AND NOT EXISTS (
            SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
              AND s.conversation_id = c.id AND s.until > p_now)
        ORDER BY c.last_message_at DESC, c.id DESC
        LIMIT p_limit) found
      UNION ALL
      SELECT * FROM moved_conversations(p_tenant, v.moved, p_member, p_now, p_as_of, p_after_at,
        p_after_id, p_limit, p_placements, p_statuses, p_assignee, v.label)
    ) page
    ORDER BY page.stood DESC, page.id DESC
    LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION page_by_assignee(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
RETURNS TABLE (conversation conversations, stood_at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v record;
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, p_as_of, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT page.c, page.stood FROM (
      SELECT found.* FROM unnest(p_placements) AS place (placement)
      CROSS JOIN unnest(p_statuses) AS work (status)
      CROSS JOIN LATERAL (
        SELECT c, c.last_message_at AS stood, c.id FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.mailbox_id = v.mailbox
          AND c.assignee_key = p_assignee AND c.status = work.status
          AND c.placement = place.placement
          AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
          AND c.created_at < p_now + interval '1 minute' AND c.id <> ALL (v.moved)
          AND (v.label IS NULL OR v.label = ANY (c.labels))
          AND NOT EXISTS (
            SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
              AND s.conversation_id = c.id AND s.until > p_now)
        ORDER BY c.last_message_at DESC, c.id DESC
        LIMIT p_limit) found
      UNION ALL
      SELECT * FROM moved_conversations(p_tenant, v.moved, p_member, p_now, p_as_of, p_after_at,
        p_after_id, p_limit, p_placements, p_statuses, p_assignee, v.label)
    ) page
    ORDER BY page.stood DESC, page.id DESC
    LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION page_by_label(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
RETURNS TABLE (conversation conversations, stood_at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v record;
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, p_as_of, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT page.c, page.stood FROM (
      SELECT found.* FROM unnest(p_placements) AS place (placement)
      CROSS JOIN unnest(p_statuses) AS work (status)
      CROSS JOIN LATERAL (
        SELECT listed.c, l.last_message_at AS stood, l.conversation_id AS id
        FROM conversation_labels l
        -- OFFSET 0 keeps it a look-up for each row of the index above, whatever the planner guesses.
        CROSS JOIN LATERAL (
          SELECT c FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = l.conversation_id
            AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
            AND c.created_at < p_now + interval '1 minute'
            AND NOT EXISTS (
              SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
                AND s.conversation_id = c.id AND s.until > p_now)
          OFFSET 0) listed
        WHERE l.tenant_id = p_tenant AND l.mailbox_id = v.mailbox AND l.label = v.label
          AND l.status = work.status AND l.placement = place.placement
          AND (l.last_message_at, l.conversation_id) < (p_after_at, p_after_id)
          AND l.conversation_id <> ALL (v.moved)
        ORDER BY l.last_message_at DESC, l.conversation_id DESC
        LIMIT p_limit) found
      UNION ALL
      SELECT * FROM moved_conversations(p_tenant, v.moved, p_member, p_now, p_as_of, p_after_at,
        p_after_id, p_limit, p_placements, p_statuses, p_assignee, v.label)
    ) page
    ORDER BY page.stood DESC, page.id DESC
    LIMIT p_limit;
END $$;

-- Until when every change is committed: each transaction that may have stamped a row and is not to be seen
-- yet began at that time or later. Those under way are waited for, a moment.
CREATE OR REPLACE FUNCTION changes_complete_until() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_oldest timestamptz;
BEGIN
  -- Stamps are whole milliseconds: with the next one, all that is committed now is before it.
  PERFORM pg_sleep(0.002);
  v_now := clock_timestamp();
  FOR attempt IN 1..20 LOOP
    PERFORM pg_stat_clear_snapshot();
    SELECT min(a.xact_start) INTO v_oldest FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.usename = current_user
        AND a.pid <> pg_backend_pid() AND a.xact_start < v_now;
    EXIT WHEN v_oldest IS NULL;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RETURN date_trunc('milliseconds', coalesce(v_oldest, v_now));
END $$;

-- A page by change: what was written at p_since or later, the first first. It stops before what may still
-- be under way, so that no row slips in behind it (volatile: the query sees all that had been committed
-- when the end was found).
CREATE OR REPLACE FUNCTION page_by_change(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_since timestamptz,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
RETURNS TABLE (conversation conversations, snoozed_until timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v record;
  v_end timestamptz := changes_complete_until();
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, NULL, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT c, s.until FROM conversations c
    LEFT JOIN snoozes s ON s.tenant_id = p_tenant AND s.member_id = p_member
      AND s.conversation_id = c.id AND s.until > p_now
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = v.mailbox
      AND c.placement = ANY (p_placements) AND c.status = ANY (p_statuses)
      AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
      AND (v.label IS NULL OR v.label = ANY (c.labels))
      AND c.changed_at >= p_since AND c.changed_at < v_end
      AND (c.changed_at, c.id) > (p_after_at, p_after_id)
    ORDER BY c.changed_at, c.id
    LIMIT p_limit;
END $$;
--- file mail mail/conversations/gauges.sql
CREATE OR REPLACE FUNCTION count_open_conversations(p_tenant text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT count(*) FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.status = 'open');
END $$;
--- file mail mail/conversations/labels.sql
-- Runs for whoever writes the row, whatever the search path.
CREATE OR REPLACE FUNCTION keep_conversation_labels() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM conversation_labels l
    WHERE l.tenant_id = NEW.tenant_id AND l.conversation_id = NEW.id;
  INSERT INTO conversation_labels
    SELECT NEW.tenant_id, NEW.id, label, NEW.mailbox_id, NEW.status, NEW.placement,
      NEW.last_message_at
    FROM unnest(NEW.labels) label;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER labels_new AFTER INSERT ON conversations
  FOR EACH ROW WHEN (NEW.labels <> '{}') EXECUTE FUNCTION keep_conversation_labels();

CREATE OR REPLACE TRIGGER labels_changed AFTER UPDATE ON conversations
  FOR EACH ROW WHEN (
    (OLD.labels <> '{}' OR NEW.labels <> '{}')
    AND (OLD.labels, OLD.status, OLD.placement, OLD.last_message_at)
      IS DISTINCT FROM (NEW.labels, NEW.status, NEW.placement, NEW.last_message_at))
  EXECUTE FUNCTION keep_conversation_labels();

-- The spelling of each label of a mailbox; one that it does not have yet is taken as it is given. In the
-- order of keys, so that two requests never wait for each other.
CREATE OR REPLACE FUNCTION spell_labels(
  p_tenant text, p_mailbox_id text, p_keys text[], p_names text[])
RETURNS TABLE (key text, name text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO labels AS l (tenant_id, mailbox_id, key, name)
    SELECT p_tenant, p_mailbox_id, given.key COLLATE "C" AS given_key, given.name
    FROM unnest(p_keys, p_names) AS given (key, name) ORDER BY given_key
    ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT l.key, l.name FROM labels l
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = ANY (p_keys);
END $$;
--- file mail mail/conversations/stamps.sql
-- What pages go by: when a conversation's row was written, and the transaction that brought a message.

CREATE OR REPLACE FUNCTION stamp_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := greatest(clock_timestamp(), NEW.updated_at);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER stamp_change BEFORE INSERT OR UPDATE ON conversations
  FOR EACH ROW EXECUTE FUNCTION stamp_change();

CREATE OR REPLACE FUNCTION stamp_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.kept_by := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER stamp_message BEFORE INSERT ON messages
  FOR EACH ROW EXECUTE FUNCTION stamp_message();
--- file mail mail/conversations/threading.sql
-- Finds the conversation of an arriving message, or begins one, and says if the message is here already.
-- The unique index is the lock: ids are claimed in one order, so that concurrent deliveries of one thread
-- wait for each other, never in a circle, and then see whose claim won.
CREATE OR REPLACE FUNCTION place_message(
  p_tenant text, p_mailbox text, p_message_id text, p_fingerprint text, p_ancestors text[],
  p_candidate text, p_subject text, p_at timestamptz)
RETURNS TABLE (duplicate boolean, conversation_id text)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := array_remove(p_ancestors || p_message_id, NULL);
  v_found text;
BEGIN
  INSERT INTO thread_ids AS t (tenant_id, mailbox_id, message_id, conversation_id)
    SELECT DISTINCT p_tenant, p_mailbox, claimed.id COLLATE "C" AS id, p_candidate
    FROM unnest(v_ids) AS claimed (id) ORDER BY id
    ON CONFLICT DO NOTHING;
  IF EXISTS (
    SELECT FROM messages m
    WHERE m.tenant_id = p_tenant AND m.mailbox_id = p_mailbox AND m.message_id = p_message_id
      AND m.content_fingerprint = p_fingerprint AND m.direction = 'inbound') THEN
    RETURN QUERY SELECT true, NULL::text;
    RETURN;
  END IF;
  SELECT t.conversation_id INTO v_found
    FROM unnest(v_ids) WITH ORDINALITY AS wanted (id, priority)
    JOIN thread_ids t ON t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
      AND t.message_id = wanted.id
    WHERE t.conversation_id <> p_candidate
    ORDER BY wanted.priority LIMIT 1;
  IF v_found IS NULL THEN
    INSERT INTO conversations
        (tenant_id, id, mailbox_id, subject, last_message_at, created_at, updated_at)
      VALUES (p_tenant, p_candidate, p_mailbox, p_subject, p_at, p_at, p_at);
  ELSE
    -- A message's own id moves to where the message goes if an answer claimed it before, and stays if a
    -- message has it: who sends another one under an id that is taken would draw its thread away.
    UPDATE thread_ids t SET conversation_id = v_found
      WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
        AND t.message_id = ANY (v_ids) AND t.conversation_id <> v_found
        AND (t.conversation_id = p_candidate OR t.message_id = p_message_id AND NOT EXISTS (
          SELECT FROM messages m WHERE m.tenant_id = p_tenant
            AND m.conversation_id = t.conversation_id AND m.message_id = p_message_id));
  END IF;
  RETURN QUERY SELECT false, coalesce(v_found, p_candidate);
END $$;
--- file mail mail/conversations/whole-conversation.sql
CREATE OR REPLACE FUNCTION find_conversation(p_tenant text, p_mailbox text, p_id text)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM conversations c
    JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
    WHERE c.tenant_id = p_tenant AND c.id = p_id AND m.address = p_mailbox;
END $$;

CREATE OR REPLACE FUNCTION conversation_messages(p_tenant text, p_conversation text)
RETURNS SETOF messages LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.* FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation
    ORDER BY m.received_at, m.id;
END $$;

CREATE OR REPLACE FUNCTION conversation_attachments(p_tenant text, p_conversation text)
RETURNS SETOF attachments LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.* FROM attachments a
    WHERE a.tenant_id = p_tenant AND a.conversation_id = p_conversation
    ORDER BY a.message, a.position;
END $$;

CREATE OR REPLACE FUNCTION conversation_comments(p_tenant text, p_conversation text)
RETURNS SETOF comments LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM comments c
    WHERE c.tenant_id = p_tenant AND c.conversation_id = p_conversation
    ORDER BY c.created_at, c.id;
END $$;

CREATE OR REPLACE FUNCTION snoozed_until(
  p_tenant text, p_member text, p_conversation text, p_now timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT s.until FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
      AND s.conversation_id = p_conversation AND s.until > p_now);
END $$;
--- file mail mail/dlp/dlp.sql
-- The rules of a workspace, first made first; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION dlp_rules_of(p_tenant text) RETURNS SETOF dlp_rules
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT r.* FROM dlp_rules r WHERE r.tenant_id = p_tenant ORDER BY r.id;
END $$;

-- Lets a token that overrides a warning be used again: the send that took it did not leave (docs/adr/0026).
CREATE OR REPLACE FUNCTION release_warning(p_tenant text, p_reservation text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE dlp_warnings w SET taken_by = NULL
    WHERE w.tenant_id = p_tenant AND w.taken_by = p_reservation;
END $$;

CREATE OR REPLACE FUNCTION purge_dlp_warnings() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH deleted AS (
    DELETE FROM dlp_warnings w WHERE w.ctid = ANY (ARRAY(
      SELECT o.ctid FROM dlp_warnings o WHERE o.expires_at < now() LIMIT 1000)) RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file mail mail/drafts/drafts.sql
-- Drafts of a mailbox, last changed first, after a place in that order: no more than p_bytes of them
-- together, but at least one; with each whether there is another behind it.
CREATE OR REPLACE FUNCTION list_drafts(
  p_tenant text, p_mailbox text, p_after_at timestamptz, p_after_id text, p_limit integer,
  p_bytes integer)
RETURNS TABLE (draft drafts, more boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT page.d, page.more FROM (
      SELECT found.d, row_number() OVER place AS place, lead(found.id) OVER place IS NOT NULL AS more,
        sum(found.bytes) OVER place AS bytes
      FROM (
        SELECT d, d.updated_at, d.id, octet_length(d.body) + octet_length(d.recipients::text)
          + octet_length(d.cc::text) + octet_length(d.bcc::text) AS bytes
        FROM drafts d
        WHERE d.tenant_id = p_tenant AND d.mailbox_id = (
            SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
          AND (d.updated_at, d.id) < (p_after_at, p_after_id)
        ORDER BY d.updated_at DESC, d.id DESC
        LIMIT p_limit + 1
      ) found
      WINDOW place AS (ORDER BY found.updated_at DESC, found.id DESC)
    ) page
    WHERE page.place <= p_limit AND (page.place = 1 OR page.bytes <= p_bytes)
    ORDER BY page.place;
END $$;

-- The files of a draft as the API shows them, in order.
CREATE OR REPLACE FUNCTION draft_files_of(p_tenant text, p_draft text) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', f.id, 'filename', f.filename, 'mimeType', f.mime_type,
      'declaredMimeType', f.declared_mime_type, 'size', f.size_bytes,
      'inline', false, 'contentId', NULL) ORDER BY f.position), '[]')
    FROM draft_files f WHERE f.tenant_id = p_tenant AND f.draft_id = p_draft);
END $$;
--- file mail mail/imports/imports.sql
CREATE OR REPLACE FUNCTION mailbox_imports(p_tenant text, p_mailbox text, p_limit integer)
RETURNS SETOF imports LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT i.* FROM imports i WHERE i.tenant_id = p_tenant AND i.mailbox_id = p_mailbox
    ORDER BY i.id DESC LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION mailbox_known(p_tenant text, p_mailbox text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.id = p_mailbox);
END $$;

-- Begins an import, unless the mailbox is unknown or has one under way. An import that stopped giving
-- signs of life has failed, and takes nothing more; one whose row a step has locked is alive. Beginnings
-- take turns, which no step waits for.
CREATE OR REPLACE FUNCTION begin_import(p_tenant text, p_id text, p_mailbox text, p_at timestamptz)
RETURNS TABLE (known boolean, begun boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_known boolean := EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.id = p_mailbox);
  v_begun boolean := false;
BEGIN
  IF v_known THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('mail.import ' || p_mailbox, 0));
    UPDATE imports i SET state = 'failed', finished_at = i.progressed_at FROM (
      SELECT l.id FROM imports l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox AND l.state = 'running'
        AND l.progressed_at < now() - interval '2 minutes'
      FOR NO KEY UPDATE SKIP LOCKED
    ) lost WHERE i.tenant_id = p_tenant AND i.id = lost.id;
    INSERT INTO imports (tenant_id, id, mailbox_id, started_at, progressed_at)
      SELECT p_tenant, p_id, p_mailbox, p_at, p_at WHERE NOT EXISTS (
        SELECT FROM imports i WHERE i.tenant_id = p_tenant AND i.mailbox_id = p_mailbox
          AND i.state = 'running');
    v_begun := FOUND;
  END IF;
  RETURN QUERY SELECT v_known, v_begun;
END $$;
--- file mail mail/inbound/mailbox-lookup.sql
-- Where mail for an address goes, before a tenant is known. p_base is the address without its
-- sub-address, tried when the exact one is unknown. No row: the domain is not ours; a row without a
-- mailbox: the domain is, the address is not.
CREATE OR REPLACE FUNCTION find_recipient(p_exact text, p_base text)
RETURNS TABLE (tenant_id text, mailbox_id text, address text, automation boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT found.tenant_id, found.id, found.address, found.automation
  FROM (
    SELECT FROM mailboxes m
    WHERE split_part(m.routing_address, '@', 2) = split_part(p_exact, '@', 2) LIMIT 1
  ) hosted
  LEFT JOIN LATERAL (
    SELECT m.tenant_id, m.id, m.address, m.automation FROM mailboxes m
    WHERE m.routing_address IN (p_exact, p_base)
    ORDER BY m.routing_address = p_exact DESC LIMIT 1
  ) found ON true
$$;
--- file mail mail/mailboxes/mailboxes.sql
-- Whether another workspace has this address or a sub-address of it: a mailbox beside it would take mail
-- that is theirs.
CREATE OR REPLACE FUNCTION taken_elsewhere(p_tenant text, p_base text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id <> p_tenant
      AND regexp_replace(m.routing_address, '^([^+@]+)[+][^@]*@', '\1@') = p_base)
$$;
--- file mail mail/originals/originals.sql
-- Bytes of a message from a place on: p_length of them, or fewer where a piece ends; none behind its last;
-- null where there is no such message.
CREATE OR REPLACE FUNCTION message_piece(
  p_tenant text, p_message text, p_start integer, p_length integer)
RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT substring(r.raw FROM p_start - r.start + 1 FOR p_length) FROM raw_messages r
    WHERE r.tenant_id = p_tenant AND r.message = p_message AND r.start <= p_start
    ORDER BY r.start DESC LIMIT 1);
END $$;

-- Keeps a piece of a message that may leave, each behind the one before it. The last one waits for the
-- disk, and so for all of them: a server that went down in between has lost those behind some piece, and
-- takes none that does not follow.
CREATE OR REPLACE FUNCTION stage_piece(
  p_tenant text, p_message text, p_start integer, p_last boolean, p_bytes bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF NOT p_last THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  IF p_start = 0 THEN
    INSERT INTO staged_messages (tenant_id, message) VALUES (p_tenant, p_message);
  ELSE
    -- Locked: a concurrent purge waits, and deletes this piece too.
    PERFORM FROM staged_messages s
      WHERE s.tenant_id = p_tenant AND s.message = p_message FOR SHARE;
    IF NOT FOUND THEN RAISE EXCEPTION 'message % is not staged', p_message; END IF;
    PERFORM FROM raw_messages r
      WHERE r.tenant_id = p_tenant AND r.message = p_message AND r.start < p_start
        AND r.start + octet_length(r.raw) = p_start;
    IF NOT FOUND THEN RAISE EXCEPTION 'message % has a gap', p_message; END IF;
  END IF;
  INSERT INTO raw_messages (tenant_id, message, start, trace, raw)
    VALUES (p_tenant, p_message, p_start, '', p_bytes);
END $$;

-- Deletes the pieces of a message that does not leave.
CREATE OR REPLACE FUNCTION unstage_message(p_tenant text, p_message text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM staged_messages s WHERE s.tenant_id = p_tenant AND s.message = p_message;
  IF FOUND THEN
    DELETE FROM raw_messages r WHERE r.tenant_id = p_tenant AND r.message = p_message;
  END IF;
END $$;

-- Deletes what processes that died have left staged, of every tenant: megabytes each, so few at a time.
CREATE OR REPLACE FUNCTION purge_staged() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT s.tenant_id, s.message FROM staged_messages s
    WHERE s.staged_at < now() - interval '1 hour' LIMIT 20 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM staged_messages s USING old
    WHERE s.tenant_id = old.tenant_id AND s.message = old.message RETURNING s.*
  ), pieces AS (
    DELETE FROM raw_messages r USING deleted d
    WHERE r.tenant_id = d.tenant_id AND r.message = d.message
  ) SELECT count(*) FROM deleted
$$;
--- file mail mail/search/search.sql
-- Whether somebody is who a search names: by address, by what stands before its @, or nobody.
CREATE OR REPLACE FUNCTION is_assigned(p_assignee text, p_name text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_name = 'none' THEN p_assignee IS NULL
    ELSE coalesce(p_name IN (p_assignee, split_part(p_assignee, '@', 1)), false) END
$$;

-- Whether labels and assignee are as asked: the expensive part, asked only where something is.
CREATE OR REPLACE FUNCTION meets_team(p search_conditions, p_labels text[], p_assignee text)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p.labels <@ p_labels AND NOT p.without_labels && p_labels
    AND NOT EXISTS (SELECT FROM unnest(p.assignees) a WHERE NOT is_assigned(p_assignee, a))
    AND NOT EXISTS (SELECT FROM unnest(p.without_assignees) a WHERE is_assigned(p_assignee, a))
$$;

-- Words that bound a search to the newest days (d) or periods of 28 days (p) of a mailbox: the newest one,
-- and p_count in all.
CREATE OR REPLACE FUNCTION recent_words(
  p_unit text, p_mailbox text, p_newest integer, p_count integer)
RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(format('''%s:%s:%s''', p_unit, p_mailbox, p_newest - n), '|' ORDER BY n)::tsquery
  FROM generate_series(0, p_count - 1) n
$$;

-- The newest messages that match, the newest one of each conversation, newest first. It sees every tenant's
-- rows, because under a policy PostgreSQL leaves the index of words unused: each query names the tenant. How
-- it is planned, and why by hand: docs/adr/0019.
CREATE OR REPLACE FUNCTION search_messages(
  p_tenant text, p_address text, p_query text, p_indexed text, p_conditions jsonb, p_limit integer)
RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET jit = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  -- Newest messages that are looked at one by one before the index of words is asked.
  c_scanned CONSTANT integer := 4096;
  v search_conditions;
  v_since timestamptz := '-infinity';
  v_until timestamptz := 'infinity';
  v_mailbox text := (
    SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_address);
  -- Null: any message will do.
  v_full tsquery := p_query::tsquery;
  v_indexed tsquery := CASE WHEN p_indexed = p_query THEN v_full ELSE p_indexed::tsquery END;
  v_in tsquery := quote_literal('m:' || v_mailbox)::tsquery;
  v_all tsquery := coalesce(v_indexed && v_in, v_in);
  v_near tsquery;
  v_row record;
  v_newest integer;
  v_month integer;
  v_is_met boolean;
  -- The index gathers all messages of all words that begin so, whatever bounds it.
  v_patience integer := CASE WHEN p_query LIKE '%:*%' THEN 40 ELSE 8 END;
  v_seen integer := 0;
  v_hits integer := 0;
  v_left boolean := false;
  v_conversations text[] := '{}';
  v_messages text[] := '{}';
BEGIN
  IF v_mailbox IS NULL THEN RETURN; END IF;
  IF p_conditions IS NOT NULL THEN
    v := jsonb_populate_record(NULL::search_conditions, p_conditions);
    v_since := coalesce(v.since, v_since);
    v_until := coalesce(v.until, v_until);
    -- Labels as the mailbox writes them; a key that it does not have is no label's name.
    v.labels := ARRAY(
      SELECT coalesce(l.name, k.key) FROM unnest(v.labels) k (key)
      LEFT JOIN labels l ON l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = k.key);
    v.without_labels := ARRAY(
      SELECT coalesce(l.name, k.key) FROM unnest(v.without_labels) k (key)
      LEFT JOIN labels l ON l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = k.key);
  END IF;

  -- Nothing is asked of a message: the newest one of each conversation will do.
  IF p_query IS NULL AND v.since IS NULL AND v.until IS NULL THEN
    RETURN QUERY
      SELECT found.last_message_id FROM unnest(v.placements) placed (placement)
      CROSS JOIN LATERAL (
        SELECT c.id, c.last_message_id, c.last_message_at FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox
          AND c.placement = placed.placement AND c.last_message_id IS NOT NULL
          AND c.placement IN ('inbox', 'archived') AND (p_conditions IS NULL OR (
            c.placement = ANY (v.placements) AND c.status = ANY (v.statuses)
            AND (v.unread IS NULL OR c.unread = v.unread) AND meets_team(v, c.labels, c.assignee)))
        ORDER BY c.last_message_at DESC, c.id DESC LIMIT p_limit) found
      ORDER BY found.last_message_at DESC, found.id DESC LIMIT p_limit;
    RETURN;
  END IF;

  -- A word that is nowhere: the index says so at little cost, unless it has to gather what many messages
  -- have. Whether it has is seen among the newest, of one day, or by the index of two; not for beginnings
  -- and phrases, nor where two days hold next to nothing.
  IF p_query NOT LIKE '%:*%' AND p_query NOT LIKE '%<->%' AND v.until IS NULL THEN
    SELECT floor(extract(epoch FROM max(n.at)) / 86400), bool_or(n.document @@ v_full)
      OR max(n.at) - min(n.at) > interval '1 day'
    INTO v_newest, v_is_met FROM (
      SELECT d.at, d.document FROM search_documents d
      WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox
      ORDER BY d.at DESC, d.message DESC LIMIT 4) n;
    IF NOT v_is_met THEN
      v_near := v_indexed && recent_words('d', v_mailbox, v_newest, 2);
      PERFORM FROM search_documents d WHERE d.document @@ v_near LIMIT 1;
      IF NOT FOUND THEN
        PERFORM FROM search_documents d WHERE d.document @@ v_all LIMIT 1;
        IF NOT FOUND THEN RETURN; END IF;
      END IF;
    END IF;
  END IF;

  -- What many messages match is found among the newest; left when they are seen to be few. The condition on
  -- the conversation is a value, so that it is asked of one message after the other, until there are enough.
  FOR v_row IN
    SELECT d.conversation_id, d.message, d.at,
      CASE WHEN v_full IS NULL OR d.document @@ v_full THEN
        (SELECT true FROM conversations c
          WHERE c.tenant_id = p_tenant AND c.id = d.conversation_id AND c.mailbox_id = v_mailbox
            AND c.placement IN ('inbox', 'archived') AND (p_conditions IS NULL OR (
              c.placement = ANY (v.placements) AND c.status = ANY (v.statuses)
              AND (v.unread IS NULL OR c.unread = v.unread)
              AND meets_team(v, c.labels, c.assignee)))) END AS hit
    FROM search_documents d
    WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox
      AND d.at >= v_since AND d.at < v_until
    ORDER BY d.at DESC, d.message DESC LIMIT c_scanned
  LOOP
    v_seen := v_seen + 1;
    v_newest := coalesce(v_newest, floor(extract(epoch FROM v_row.at) / 86400));
    IF v_row.hit THEN
      v_hits := v_hits + 1;
      IF v_row.conversation_id <> ALL (v_conversations) THEN
        v_conversations := v_conversations || v_row.conversation_id;
        v_messages := v_messages || v_row.message;
        EXIT WHEN cardinality(v_messages) = p_limit;
      END IF;
    END IF;
    v_left := v_seen = c_scanned OR v_seen % v_patience = 0 AND v_hits * 16 < v_seen;
    EXIT WHEN v_left;
  END LOOP;
  IF NOT v_left THEN
    RETURN QUERY SELECT unnest(v_messages);
    RETURN;
  END IF;

  -- The index: of the newest days, then of the newest months, then of all; each costs what it finds. What
  -- the days have nothing of is so rare that all of it is cheap.
  v_month := floor(v_newest / 28.0);
  FOR v_stage IN 1..3 LOOP
    CONTINUE WHEN v_stage = 2 AND v_messages = '{}';
    v_near := CASE v_stage
      WHEN 1 THEN recent_words('d', v_mailbox, v_newest, 3)
      WHEN 2 THEN recent_words('p', v_mailbox, v_month, 3)
      ELSE v_in END;
    v_near := coalesce(v_indexed && v_near, v_near);
    v_conversations := '{}';
    v_messages := '{}';
    FOR v_row IN
      SELECT d.conversation_id, d.message FROM (
        SELECT d.tenant_id, d.conversation_id, d.message, d.at FROM search_documents d
        WHERE d.document @@ v_near
          AND ((p_query = p_indexed) IS NOT FALSE OR ts_match_vq(d.document, v_full))
        ORDER BY d.at DESC, d.message DESC OFFSET 0) d
      WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
        AND (SELECT true FROM conversations c
          WHERE c.tenant_id = p_tenant AND c.id = d.conversation_id AND c.mailbox_id = v_mailbox
            AND c.placement IN ('inbox', 'archived') AND (p_conditions IS NULL OR (
              c.placement = ANY (v.placements) AND c.status = ANY (v.statuses)
              AND (v.unread IS NULL OR c.unread = v.unread)
              AND meets_team(v, c.labels, c.assignee))))
    LOOP
      IF v_row.conversation_id <> ALL (v_conversations) THEN
        v_conversations := v_conversations || v_row.conversation_id;
        v_messages := v_messages || v_row.message;
        EXIT WHEN cardinality(v_messages) = p_limit;
      END IF;
    END LOOP;
    EXIT WHEN cardinality(v_messages) = p_limit;
  END LOOP;
  IF v_messages <> '{}' THEN RETURN QUERY SELECT unnest(v_messages); END IF;
END $$;

-- What a result shows of a message and its conversation; of a long text its beginning.
CREATE OR REPLACE FUNCTION found_message(p_tenant text, p_message text, p_characters integer)
RETURNS TABLE (id text, conversation_id text, subject text, preview text, sender jsonb,
  recipients jsonb, cc jsonb, text text, last_message_at timestamptz, labels text[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.id, m.conversation_id, m.subject, m.preview, m.sender, m.recipients, m.cc,
      left(coalesce(m.text, ''), p_characters), c.last_message_at, c.labels
    FROM messages m
    JOIN conversations c ON c.tenant_id = m.tenant_id AND c.id = m.conversation_id
    WHERE m.tenant_id = p_tenant AND m.id = p_message;
END $$;
--- file mail mail/sends/sends.sql
-- What a message in a mailbox answers: the message that is named, in whatever conversation, or else the
-- newest one of the conversation. is_there: whether the conversation is, if one is named.
CREATE OR REPLACE FUNCTION answered_message(
  p_tenant text, p_mailbox text, p_thread text, p_message text)
RETURNS TABLE (is_there boolean, conversation_id text, message_id text, reference_ids text[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF p_thread IS NOT NULL AND NOT EXISTS (
    SELECT FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.id = p_thread AND c.mailbox_id = p_mailbox) THEN
    RETURN QUERY SELECT false, NULL::text, NULL::text, NULL::text[];
    RETURN;
  END IF;
  RETURN QUERY
    SELECT true, found.conversation_id, found.message_id, found.reference_ids
    FROM (SELECT) one LEFT JOIN LATERAL (
      SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
      WHERE m.tenant_id = p_tenant AND m.id = p_message AND m.mailbox_id = p_mailbox
    UNION ALL (
      SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
      WHERE m.tenant_id = p_tenant AND m.conversation_id = p_thread AND p_message IS NULL
        AND m.message_id IS NOT NULL
      ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
    ) found ON true;
END $$;

-- Whether something that arrived names a message: who answers it, or reports on it, has had it.
CREATE OR REPLACE FUNCTION is_answered(p_tenant text, p_mailbox text, p_message_id text)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (
    SELECT FROM thread_ids t
    JOIN messages m ON m.tenant_id = p_tenant AND m.conversation_id = t.conversation_id
    WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox AND t.message_id = p_message_id
      AND m.direction = 'inbound'
      AND (m.in_reply_to = p_message_id OR p_message_id = ANY (m.reference_ids)));
END $$;

-- A send to be looked after, and its mailbox.
CREATE OR REPLACE FUNCTION open_send(p_tenant text, p_mailbox text, p_key text)
RETURNS TABLE (reservation send_reservations, mailbox mailboxes)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT r, m FROM send_reservations r
    JOIN mailboxes m ON m.tenant_id = r.tenant_id AND m.id = r.mailbox_id
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.state IN ('transmitting', 'unknown');
END $$;

-- The steps of a send: each is one round trip, committed by itself.

-- Whether an Idempotency-Key that somebody has is free: its time is over, what had it was refused for good
-- (but not to a redelivery of that same request), or its process died before it could have sent anything.
CREATE OR REPLACE FUNCTION is_free_again(r send_reservations, p_request text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT r.state = 'reserved' AND r.lease_until < now()
    OR r.state = 'failed' AND r.request <> p_request
    OR r.state = 'sent' AND r.expires_at < now()
$$;

-- Takes an Idempotency-Key, or says who has it: a repeat writes nothing. No row: there is no such mailbox.
CREATE OR REPLACE FUNCTION reserve_send(
  p_tenant text, p_address text, p_key text, p_fingerprint text, p_version smallint,
  p_request text, p_token text, p_message_id text, p_lease interval)
RETURNS TABLE (taken boolean, reservation send_reservations, mailbox mailboxes)
LANGUAGE plpgsql AS $$
DECLARE
  v_mailbox mailboxes;
  v_found send_reservations;
BEGIN
  -- A reservation that a crash of the database loses is one of a message that has not left.
  PERFORM set_config('postroom.tenant', p_tenant, true),
    set_config('synchronous_commit', 'off', true);
  SELECT * INTO v_mailbox FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.address = p_address;
  IF NOT FOUND THEN RETURN; END IF;
  -- Again, where another takes the key in between, or releases it.
  FOR attempt IN 1..3 LOOP
    SELECT * INTO v_found FROM send_reservations r
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = v_mailbox.id AND r.idempotency_key = p_key;
    IF FOUND AND NOT is_free_again(v_found, p_request) THEN
      RETURN QUERY SELECT false, v_found, v_mailbox;
      RETURN;
    END IF;
    INSERT INTO send_reservations AS r (tenant_id, mailbox_id, idempotency_key, state, fingerprint,
        fingerprint_version, request, token, lease_until, message_id, created_at, expires_at)
      VALUES (p_tenant, v_mailbox.id, p_key, 'reserved', p_fingerprint, p_version, p_request,
        p_token, now() + p_lease, p_message_id, now(), now() + interval '7 days')
      ON CONFLICT (tenant_id, mailbox_id, idempotency_key) DO UPDATE
        SET state = 'reserved', fingerprint = excluded.fingerprint,
          fingerprint_version = excluded.fingerprint_version, request = excluded.request,
          token = excluded.token, lease_until = excluded.lease_until,
          message_id = excluded.message_id, message = NULL, outgoing = NULL, said = NULL,
          receipt = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
        WHERE is_free_again(r, p_request)
      RETURNING * INTO v_found;
    IF FOUND THEN
      RETURN QUERY SELECT true, v_found, v_mailbox;
      RETURN;
    END IF;
  END LOOP;
  RAISE lock_not_available;
END $$;

CREATE OR REPLACE FUNCTION find_send(p_tenant text, p_mailbox text, p_key text)
RETURNS SETOF send_reservations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT r.* FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key;
END $$;

-- Releases a key as if it had never been taken: nothing was sent, and there is nothing to tell.
CREATE OR REPLACE FUNCTION release_send(p_tenant text, p_mailbox text, p_key text, p_token text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.token = p_token AND r.state = 'reserved';
  RETURN FOUND;
END $$;

-- reserved -> transmitting: from here on it may have left. A reply's Message-ID names its conversation from
-- now on, so that an answer to it joins, even one that comes before the receipt. p_raw: null where its
-- pieces are kept already.
CREATE OR REPLACE FUNCTION begin_transmission(
  p_tenant text, p_mailbox text, p_key text, p_token text, p_lease interval,
  p_message text, p_outgoing jsonb, p_conversation text, p_raw bytea)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_message_id text;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE send_reservations r SET state = 'transmitting', lease_until = now() + p_lease,
      message = p_message, outgoing = p_outgoing
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.token = p_token AND r.state = 'reserved'
    RETURNING r.message_id INTO v_message_id;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_raw IS NULL THEN
    DELETE FROM staged_messages s WHERE s.tenant_id = p_tenant AND s.message = p_message;
    IF NOT FOUND THEN RAISE EXCEPTION 'the pieces of message % are gone', p_message; END IF;
  ELSE
    INSERT INTO raw_messages (tenant_id, message, trace, raw)
      VALUES (p_tenant, p_message, '', p_raw);
  END IF;
  IF p_conversation IS NOT NULL THEN
    INSERT INTO thread_ids AS t (tenant_id, mailbox_id, message_id, conversation_id)
      VALUES (p_tenant, p_mailbox, v_message_id, p_conversation)
      ON CONFLICT (tenant_id, mailbox_id, message_id)
        DO UPDATE SET conversation_id = excluded.conversation_id;
  END IF;
  RETURN true;
END $$;

-- Locks a send that has left, and the conversation that its message belongs to: the one it was sent in, or
-- where its own id, or an answer to it, belongs. Of one that has its receipt already, that.
--
-- The conversation's lock lets rows that name it be inserted: a draft names its conversation first (a
-- foreign key's KEY SHARE) and counts itself there then, so that two drafts and a receipt that locked the
-- whole row waited for each other.
CREATE OR REPLACE FUNCTION place_sent(
  p_tenant text, p_mailbox text, p_key text, p_conversation text, p_candidate text,
  p_message_id text, p_ancestors text[], p_subject text, p_at timestamptz)
RETURNS TABLE (state text, receipt text, conversation conversations) LANGUAGE plpgsql AS $$
DECLARE
  v_state text;
  v_receipt text;
  v_conversation text := p_conversation;
BEGIN
  SELECT r.state, r.receipt INTO v_state, v_receipt FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
    FOR UPDATE;
  IF v_state IN ('transmitting', 'unknown') THEN
    IF v_conversation IS NULL THEN
      SELECT p.conversation_id INTO v_conversation FROM place_message(
        p_tenant, p_mailbox, p_message_id, '', p_ancestors, p_candidate, p_subject, p_at) p;
    END IF;
    RETURN QUERY SELECT v_state, v_receipt, c FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.id = v_conversation FOR NO KEY UPDATE;
  ELSE
    RETURN QUERY SELECT v_state, v_receipt, NULL::conversations;
  END IF;
END $$;

-- Says that the process that works on it lives.
CREATE OR REPLACE FUNCTION renew_send(
  p_tenant text, p_mailbox text, p_key text, p_token text, p_lease interval)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE send_reservations r SET lease_until = now() + p_lease
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.token = p_token AND r.state IN ('reserved', 'transmitting');
  RETURN FOUND;
END $$;

-- -> failed: it is certain that nothing was handed over, so nothing of the message stays.
CREATE OR REPLACE FUNCTION fail_send(
  p_tenant text, p_mailbox text, p_key text, p_token text, p_said jsonb)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_failed send_reservations;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE send_reservations r SET state = 'failed', said = p_said, outgoing = NULL
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.token = p_token AND r.state IN ('reserved', 'transmitting', 'unknown')
    RETURNING r.* INTO v_failed;
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM raw_messages m WHERE m.tenant_id = p_tenant AND m.message = v_failed.message;
  DELETE FROM thread_ids t WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
    AND t.message_id = v_failed.message_id;
  RETURN true;
END $$;

-- Sends to be looked after: those whose process is gone, and unknown ones whose time has come again. Taken
-- for a while, so that each is looked after by one process; the older an unknown one is, the longer until
-- the next time. The lease of one whose process is gone stays past, also to a transaction that began before
-- this one, which told its caller that somebody works on it.
CREATE OR REPLACE FUNCTION take_open_sends(p_limit integer)
RETURNS TABLE (tenant_id text, mailbox_id text, idempotency_key text) LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
    WHERE r.state IN ('transmitting', 'unknown') AND r.lease_until < now()
    ORDER BY r.lease_until LIMIT p_limit FOR UPDATE SKIP LOCKED
  )
  UPDATE send_reservations r SET lease_until = now() + CASE r.state
      WHEN 'transmitting' THEN interval '-1 second'
      ELSE least(interval '10 minutes', greatest(interval '2 seconds', (now() - r.created_at) / 10))
    END
    FROM due WHERE r.tenant_id = due.tenant_id AND r.mailbox_id = due.mailbox_id
      AND r.idempotency_key = due.idempotency_key
    RETURNING r.tenant_id, r.mailbox_id, r.idempotency_key
$$;

-- Deletes what is past its seven days, of every tenant, a batch at a time; never an unknown one.
CREATE OR REPLACE FUNCTION purge_sends() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
    WHERE r.expires_at < now() AND r.state IN ('reserved', 'sent', 'failed') LIMIT 1000
  ), deleted AS (
    DELETE FROM send_reservations r USING old
    WHERE r.tenant_id = old.tenant_id AND r.mailbox_id = old.mailbox_id
      AND r.idempotency_key = old.idempotency_key
      AND r.expires_at < now() AND r.state IN ('reserved', 'sent', 'failed') RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file mail mail/signatures/signatures.sql
-- The signatures for any mailbox, and for those within reach: of these addresses (a key), those shared
-- with this member, or, with neither, all.
CREATE OR REPLACE FUNCTION signatures_within(p_tenant text, p_addresses text[], p_member text)
RETURNS TABLE (signature signatures, mailbox text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT s, m.address FROM signatures s
    LEFT JOIN mailboxes m ON m.tenant_id = s.tenant_id AND m.id = s.mailbox_id
    WHERE s.tenant_id = p_tenant AND (
      m.id IS NULL
      OR (p_addresses IS NULL OR m.address = ANY (p_addresses))
      AND (p_member IS NULL OR m.access ?| ARRAY['workspace', p_member]))
    ORDER BY lower(s.name), s.id;
END $$;
--- file mail operations/audit-records.sql
-- Moves the oldest records into the outbox, as one internal event a tenant, in one commit, and returns how
-- many records they were. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION forward_audit(p_records integer) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_moved integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.forward_audit', 0)) THEN
    RETURN 0;
  END IF;
  WITH oldest AS (
    SELECT a.tenant_id, a.id FROM audit_records a ORDER BY a.tenant_id, a.id LIMIT p_records
  ), moved AS (
    DELETE FROM audit_records a USING oldest o
    WHERE a.tenant_id = o.tenant_id AND a.id = o.id RETURNING a.*
  ), events AS (
    INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
    SELECT m.tenant_id, min(m.id), 'audit.recorded', 'audit', nextval('audit_event_numbers'),
      json_build_object('occurredAt', now(), 'records', json_agg(json_build_object(
        'id', m.id,
        'at', to_char(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'actorType', m.actor_type, 'actorId', m.actor_id, 'source', m.source,
        'action', m.action, 'subjectId', m.subject_id, 'requestId', m.request_id
      ) ORDER BY m.id))::text
    FROM moved m GROUP BY m.tenant_id
  )
  SELECT count(*) INTO v_moved FROM moved;
  RETURN v_moved;
END $$;

-- Records of a tenant that are not sealed: those that wait here, and those in internal events that wait
-- in the outbox or are parked there.
CREATE OR REPLACE FUNCTION count_audit_backlog(p_tenant text) RETURNS float8
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT count(*) FROM audit_records WHERE tenant_id = p_tenant)
    + (SELECT coalesce(sum(json_array_length(envelope::json->'records')), 0) FROM outbox
       WHERE tenant_id = p_tenant AND resource = 'audit' AND type = 'audit.recorded');
END $$;
--- file mail operations/inbox.sql
-- Sets the tenant and marks the event as consumed, in one round trip. False: it had its effect before. A
-- concurrent delivery of the same event is waited for.
CREATE OR REPLACE FUNCTION take_event(p_tenant text, p_consumer text, p_event text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  INSERT INTO inbox (tenant_id, consumer, event_id) VALUES (p_tenant, p_consumer, p_event)
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- Deletes events of every tenant that no bus keeps long enough to deliver again, a batch at a time.
CREATE OR REPLACE FUNCTION purge_inbox() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT tenant_id, consumer, event_id FROM inbox
    WHERE consumed_at < now() - interval '7 days' LIMIT 1000
  ), deleted AS (
    DELETE FROM inbox i USING old
    WHERE i.tenant_id = old.tenant_id AND i.consumer = old.consumer AND i.event_id = old.event_id
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file mail operations/outbox-shards.sql
-- Leases free shards that have events, those served longest ago first, and returns their oldest events:
-- resources by their oldest event, a resource's events by sequence, as many as it has among the shard's
-- oldest p_rows, and no more once a shard's are 256 KiB: a relay holds them in memory. A shard that was
-- emptied in this moment is returned without events; it has to be released all the same.
--
-- Plans are made while the queue is empty and kept while it fills: hence no sequential scans.
CREATE OR REPLACE FUNCTION claim_outbox(
  p_owner text, p_lease_ms integer, p_shards integer, p_rows integer)
RETURNS TABLE (shard smallint, token bigint, event_id text, type text, tenant_id text,
  resource text, envelope text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_shards smallint[];
BEGIN
  v_shards := ARRAY(
    SELECT s.shard FROM outbox_shards s
    WHERE s.free_at <= now()
      AND EXISTS (SELECT FROM outbox o WHERE o.shard = s.shard AND o.refusal IS NULL)
    ORDER BY s.free_at, s.shard LIMIT p_shards FOR UPDATE SKIP LOCKED);
  IF cardinality(v_shards) = 0 THEN RETURN; END IF;
  UPDATE outbox_shards s SET owner = p_owner, token = s.token + 1,
      free_at = clock_timestamp() + p_lease_ms * interval '1 ms'
    WHERE s.shard = ANY (v_shards);
  -- A statement of its own: it sees what the shards' last owners deleted before they released them.
  RETURN QUERY
    SELECT s.shard, s.token, e.event_id, e.type, e.tenant_id, e.resource, e.envelope
    FROM outbox_shards s LEFT JOIN LATERAL (
      SELECT o.*, r.oldest,
        sum(octet_length(o.envelope)) OVER (ORDER BY r.oldest, o.sequence) AS bytes
      FROM (
        SELECT w.tenant_id, w.resource, min(w.position) AS oldest, count(*) AS rows FROM (
          SELECT o.tenant_id, o.resource, o.position FROM outbox o
          WHERE o.shard = s.shard AND o.refusal IS NULL ORDER BY o.position LIMIT p_rows) w
        GROUP BY w.tenant_id, w.resource) r
      CROSS JOIN LATERAL (
        SELECT * FROM outbox o
        WHERE o.tenant_id = r.tenant_id AND o.resource = r.resource AND o.refusal IS NULL
        ORDER BY o.sequence LIMIT r.rows) o) e
    ON e.bytes - octet_length(e.envelope) < 262144
    WHERE s.shard = ANY (v_shards)
    ORDER BY s.shard, e.oldest, e.sequence;
END $$;

-- Deletes what was published, parks what was refused with its cause, and releases the shards: only in
-- shards whose token is still the one given. Returns how many those are.
CREATE OR REPLACE FUNCTION complete_batch(p_shards smallint[], p_tokens bigint[], p_published text[],
  p_refused text[], p_causes text[], p_more boolean)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_owned smallint[];
BEGIN
  v_owned := ARRAY(
    SELECT s.shard FROM outbox_shards s
    JOIN unnest(p_shards, p_tokens) AS leased (shard, token)
      ON leased.shard = s.shard AND leased.token = s.token
    ORDER BY s.shard FOR UPDATE OF s);
  DELETE FROM outbox o WHERE o.event_id = ANY (p_published) AND o.shard = ANY (v_owned);
  UPDATE outbox o SET refusal = refused.cause
    FROM unnest(p_refused, p_causes) AS refused (id, cause)
    WHERE o.event_id = refused.id AND o.shard = ANY (v_owned);
  UPDATE outbox_shards s SET owner = NULL, free_at = now() WHERE s.shard = ANY (v_owned);
  IF p_more THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN cardinality(v_owned);
END $$;
--- file mail operations/parked-events.sql
-- The oldest events that the bus has refused. Their payload is not for an operator to read.
CREATE OR REPLACE FUNCTION parked_events(p_limit integer)
RETURNS TABLE (id text, type text, tenant_id text, resource text, sequence float8,
  created_at timestamptz, refusal text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT o.event_id, o.type, o.tenant_id, o.resource, o.sequence::float8, o.created_at, o.refusal
  FROM outbox o WHERE o.refusal IS NOT NULL ORDER BY o.position LIMIT p_limit
$$;

-- Lets all of them be published once more, and returns how many they are; relays are woken.
CREATE OR REPLACE FUNCTION release_parked() RETURNS float8 LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_released bigint;
BEGIN
  UPDATE outbox SET refusal = NULL WHERE refusal IS NOT NULL;
  GET DIAGNOSTICS v_released = ROW_COUNT;
  IF v_released > 0 THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN v_released;
END $$;
--- file mail operations/replies.sql
-- Sets the tenant and waits for a concurrent holder of the key, two seconds at most (55P03), in one round
-- trip. Returns the reply recorded under the key; null: the key is this transaction's. An expired reply is
-- deleted, as it would be in the way.
CREATE OR REPLACE FUNCTION claim_key(p_tenant text, p_key text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_reply replies;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true), set_config('lock_timeout', '2s', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('reply ' || p_tenant || ' ' || p_key, 0));
  -- A statement of its own: it sees what the last holder of the key has committed.
  SELECT * INTO v_reply FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v_reply.expires_at >= now() THEN RETURN to_json(v_reply); END IF;
  DELETE FROM replies r WHERE r.tenant_id = p_tenant AND r.dedupe_key = p_key;
  RETURN NULL;
END $$;

-- Deletes what is past its 24 hours, of every tenant, a batch at a time.
CREATE OR REPLACE FUNCTION purge_replies() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH expired AS (
    SELECT tenant_id, dedupe_key FROM replies WHERE expires_at < now() LIMIT 1000
  ), deleted AS (
    DELETE FROM replies r USING expired e
    WHERE r.tenant_id = e.tenant_id AND r.dedupe_key = e.dedupe_key
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
--- file mail operations/volumes.sql
-- Moves what has happened into the counters, of every tenant, a batch at a time, in one statement: a
-- reader sees it in one place or the other. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION fold_volumes() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folded bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.fold_volumes', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM volume_deltas
    WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM volume_deltas d LIMIT 10000))
    RETURNING *
  ), counted AS (
    INSERT INTO volumes AS v (tenant_id, quarter, kind, scope, amount)
    SELECT t.tenant_id, date_bin('15 minutes', t.at, 'epoch'), t.kind, t.scope, sum(t.amount)
    FROM taken t GROUP BY 1, 2, 3, 4
    ON CONFLICT (tenant_id, quarter, kind, scope)
      DO UPDATE SET amount = v.amount + excluded.amount
  )
  SELECT count(*) INTO v_folded FROM taken;
  RETURN v_folded;
END $$;

-- Volumes of the days p_from to p_to in a time zone, counters and what is not in them yet: of each kind
-- by day, by scope, and altogether (both null). A time belongs to the day that the zone's clocks show then,
-- so that no day is counted twice or left out when they change.
CREATE OR REPLACE FUNCTION volumes_of(p_tenant text, p_from date, p_to date, p_zone text)
RETURNS TABLE (kind text, day date, scope text, amount bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- No zone is a whole day away from UTC.
  v_since timestamptz := (p_from - 1)::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_to + 2)::timestamp AT TIME ZONE 'UTC';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT here.kind, here.day, here.scope, sum(here.amount)::bigint
    FROM (
      SELECT v.kind, (v.quarter AT TIME ZONE p_zone)::date AS day, v.scope, v.amount
      FROM volumes v
      WHERE v.tenant_id = p_tenant AND v.quarter >= v_since AND v.quarter < v_until
      UNION ALL
      SELECT d.kind, (d.at AT TIME ZONE p_zone)::date, d.scope, d.amount
      FROM volume_deltas d
      WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
    ) here
    WHERE here.day BETWEEN p_from AND p_to
    GROUP BY GROUPING SETS ((here.kind, here.day), (here.kind, here.scope), (here.kind));
END $$;
--- migration blobs InitBlobs1765100000000

      -- Unlogged: who waits for a body when the server goes down gets an error and asks again.
      CREATE UNLOGGED TABLE chunks (
        tenant_id text COLLATE "C" NOT NULL,
        blob_id text COLLATE "C" NOT NULL,
        position integer NOT NULL,
        is_last boolean NOT NULL,
        bytes bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, blob_id, position)
      );
      -- The bytes are compressed already, or not worth it.
      ALTER TABLE chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
      CREATE INDEX chunks_age ON chunks (created_at);
      
  
  ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
  ALTER TABLE chunks FORCE ROW LEVEL SECURITY;

  CREATE POLICY tenant ON chunks
    USING (tenant_id = current_setting('postroom.tenant', true))
    WITH CHECK (tenant_id = current_setting('postroom.tenant', true));

      -- SELECT ... FOR UPDATE needs the right to update.
      
  GRANT SELECT, UPDATE, DELETE ON chunks TO postroom_blobs_lookup;
  CREATE POLICY lookup ON chunks TO postroom_blobs_lookup USING (true);

    
--- file blobs persistence/blobs/blobs.sql
-- Each of these sets the tenant and does its work in one round trip.

CREATE OR REPLACE FUNCTION put_chunk(
  p_tenant text, p_blob text, p_position integer, p_last boolean, p_bytes bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  INSERT INTO chunks (tenant_id, blob_id, position, is_last, bytes)
    VALUES (p_tenant, p_blob, p_position, p_last, p_bytes);
END $$;

CREATE OR REPLACE FUNCTION get_chunk(p_tenant text, p_blob text, p_position integer)
RETURNS TABLE (is_last boolean, bytes bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT c.is_last, c.bytes FROM chunks c
    WHERE c.tenant_id = p_tenant AND c.blob_id = p_blob AND c.position = p_position;
END $$;

CREATE OR REPLACE FUNCTION drop_blob(p_tenant text, p_blob text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM chunks WHERE tenant_id = p_tenant AND blob_id = p_blob;
END $$;

-- Deletes what nobody has claimed for an hour, of every tenant. Many processes call it, and a backlog may
-- be large: each call takes some rows that no other one has.
CREATE OR REPLACE FUNCTION purge_chunks() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH unclaimed AS (
    SELECT tenant_id, blob_id, position FROM chunks
    WHERE created_at < now() - interval '1 hour'
    LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM chunks USING unclaimed u
    WHERE (chunks.tenant_id, chunks.blob_id, chunks.position)
      = (u.tenant_id, u.blob_id, u.position)
    RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
