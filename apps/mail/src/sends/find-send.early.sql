-- A call that waits while a migration adds a column still expects rows as they were when it began: those of 0.1.0,
-- here. docs/architecture.md, "How it changes".

CREATE OR REPLACE FUNCTION find_send(p_tenant text, p_mailbox text, p_key text)
RETURNS SETOF send_reservations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT r.* FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key;
EXCEPTION WHEN datatype_mismatch THEN
  RETURN QUERY
    SELECT r.tenant_id, r.mailbox_id, r.idempotency_key, r.state, r.fingerprint, r.fingerprint_version,
      r.request, r.token, r.lease_until, r.message_id, r.message, r.outgoing, r.said, r.receipt,
      r.created_at, r.expires_at
    FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key;
END $$;
