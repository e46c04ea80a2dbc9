import { createOperationTables, lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema `mail`, first version. */
export class InitMail1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOperationTables(runner, 'mail');
    await runner.query(tables);
    await runner.query(reads);
    await runner.query(inbound);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const tables = `
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
  ${tenantPolicy('mailboxes')}

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
    version integer NOT NULL DEFAULT 0,
    -- The number of its last event: counted on its row, so that the numbers have no gap.
    event_sequence integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  ) WITH (fillfactor = 85);
  CREATE INDEX conversations_list ON conversations
    (tenant_id, mailbox_id, placement, last_message_at DESC, id DESC);
  ${tenantPolicy('conversations')}

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
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
  );
  CREATE INDEX messages_thread ON messages (tenant_id, conversation_id, received_at, id);
  CREATE UNIQUE INDEX messages_content
    ON messages (tenant_id, mailbox_id, message_id, content_fingerprint)
    WHERE direction = 'inbound' AND message_id IS NOT NULL;
  ${tenantPolicy('messages')}

  CREATE TABLE attachments (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    -- Its place among the attachments of its message, from 0: where the raw message has its bytes.
    position integer NOT NULL,
    filename text,
    mime_type text NOT NULL,
    declared_mime_type text,
    size_bytes integer NOT NULL,
    inline boolean NOT NULL,
    content_id text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, message) REFERENCES messages
  );
  CREATE INDEX attachments_thread ON attachments (tenant_id, conversation_id, message, position);
  ${tenantPolicy('attachments')}

  -- Messages as they came, byte for byte. Their trace header stands apart (RFC 5321 section 4.4), so
  -- that what is parsed again later is what was parsed at arrival.
  CREATE TABLE raw_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    trace text NOT NULL,
    raw bytea NOT NULL,
    PRIMARY KEY (tenant_id, message),
    FOREIGN KEY (tenant_id, message) REFERENCES messages
  );
  -- Mostly base64: compressing it costs a second for a large message and gains little.
  ALTER TABLE raw_messages ALTER COLUMN raw SET STORAGE EXTERNAL;
  ${tenantPolicy('raw_messages')}

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
  ${tenantPolicy('comments')}

  -- Which conversation a Message-ID belongs to: of messages that are here, and of those that are
  -- only referred to, so that a parent that arrives after its reply joins it.
  CREATE TABLE thread_ids (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, message_id)
  );
  ${tenantPolicy('thread_ids')}
`;

/**
 * The hot reads: each sets the tenant and then queries, in one trip. Stable, so that functions called
 * by one statement see one state of the data.
 */
const reads = `
  CREATE FUNCTION mailbox_exists(p_tenant text, p_mailbox text) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN EXISTS (
      SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox);
  END $$;

  CREATE FUNCTION list_conversations(p_tenant text, p_mailbox text, p_limit integer)
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

  -- The list as it stood at p_as_of, after a place in it. A conversation that mail has moved to the
  -- top since then is shown where it stood: its messages say when it had arrived until then.
  CREATE FUNCTION continue_conversations(
    p_tenant text, p_mailbox text, p_as_of timestamptz,
    p_after_at timestamptz, p_after_id text, p_limit integer)
  RETURNS TABLE (conversation conversations, stood_at timestamptz)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    v_mailbox text;
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    SELECT m.id INTO v_mailbox FROM mailboxes m
      WHERE m.tenant_id = p_tenant AND m.address = p_mailbox;
    RETURN QUERY
      SELECT walk.c, walk.stood FROM (
        (SELECT c, c.last_message_at AS stood, c.id FROM conversations c
         WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox AND c.placement = 'inbox'
           AND c.last_message_at <= p_as_of
           AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
         ORDER BY c.last_message_at DESC, c.id DESC
         LIMIT p_limit)
        UNION ALL
        (SELECT c, until_then.stood, c.id FROM conversations c
         CROSS JOIN LATERAL (
           SELECT max(m.received_at) AS stood FROM messages m
           WHERE m.tenant_id = p_tenant AND m.conversation_id = c.id AND m.received_at <= p_as_of
         ) until_then
         WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox AND c.placement = 'inbox'
           AND c.last_message_at > p_as_of
           AND (until_then.stood, c.id) < (p_after_at, p_after_id)
         ORDER BY until_then.stood DESC, c.id DESC
         LIMIT p_limit)
      ) walk
      ORDER BY walk.stood DESC, walk.id DESC
      LIMIT p_limit;
  END $$;

  CREATE FUNCTION find_conversation(p_tenant text, p_mailbox text, p_id text)
  RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT c.* FROM conversations c
      JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
      WHERE c.tenant_id = p_tenant AND c.id = p_id AND m.address = p_mailbox;
  END $$;

  CREATE FUNCTION conversation_messages(p_tenant text, p_conversation text)
  RETURNS SETOF messages LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT m.* FROM messages m
      WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation
      ORDER BY m.received_at, m.id;
  END $$;

  CREATE FUNCTION conversation_attachments(p_tenant text, p_conversation text)
  RETURNS SETOF attachments LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT a.* FROM attachments a
      WHERE a.tenant_id = p_tenant AND a.conversation_id = p_conversation
      ORDER BY a.message, a.position;
  END $$;

  CREATE FUNCTION conversation_comments(p_tenant text, p_conversation text)
  RETURNS SETOF comments LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT c.* FROM comments c
      WHERE c.tenant_id = p_tenant AND c.conversation_id = p_conversation
      ORDER BY c.created_at, c.id;
  END $$;
`;

const inbound = `
  -- Where mail for an address goes, before a tenant is known. p_base is the address without its
  -- sub-address, tried when the exact one is unknown. No row: the domain is not ours; a row
  -- without a mailbox: the domain is, the address is not.
  CREATE FUNCTION find_recipient(p_exact text, p_base text)
  RETURNS TABLE (tenant_id text, mailbox_id text, address text, automation boolean)
  LANGUAGE sql STABLE AS $$
    SELECT found.tenant_id, found.id, found.address, found.automation
    FROM (
      SELECT FROM mailboxes m
      WHERE split_part(m.routing_address, '@', 2) = split_part(p_exact, '@', 2) LIMIT 1
    ) hosted
    LEFT JOIN LATERAL (
      SELECT m.tenant_id, m.id, m.address, m.automation FROM mailboxes m
      WHERE m.routing_address IN (p_exact, p_base)
      ORDER BY m.routing_address = p_exact DESC LIMIT 1
    ) found ON true $$;
  ${visible('mail', 'mailboxes', 'SELECT (tenant_id, id, address, routing_address, automation)')}
  ${lookupFunction('mail', 'find_recipient(text, text)')}

  -- Whether another workspace has this address or a sub-address of it: a mailbox beside it would take
  -- mail that is theirs.
  CREATE FUNCTION taken_elsewhere(p_tenant text, p_base text) RETURNS boolean
  LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
      SELECT FROM mailboxes m WHERE m.tenant_id <> p_tenant
        AND regexp_replace(m.routing_address, '^([^+@]+)[+][^@]*@', '\\1@') = p_base) $$;
  ${lookupFunction('mail', 'taken_elsewhere(text, text)')}

  -- Finds the conversation of an arriving message, or begins one, and says if the message is here
  -- already. The unique index is the lock: ids are claimed in one order, so that concurrent
  -- deliveries of one thread wait for each other, never in a circle, and then see whose claim won.
  CREATE FUNCTION place_message(
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
      -- The message's own id too, if a reply claimed it before: it names where the message is.
      UPDATE thread_ids t SET conversation_id = v_found
        WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
          AND t.message_id = ANY (v_ids) AND t.conversation_id <> v_found
          AND (t.conversation_id = p_candidate OR t.message_id = p_message_id);
    END IF;
    RETURN QUERY SELECT false, coalesce(v_found, p_candidate);
  END $$;
`;
