import { sealedColumn } from '@postroom/operations';
import {
  lookupPolicy,
  serviceRole,
  tenantPolicy,
  type Migration,
} from '@postroom/persistence/provision';
import { accountSeals, mailboxSeals } from '../mailboxes/index.js';

const mailboxes = `
  CREATE TABLE mailboxes (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    -- The address as mail is routed to it: one spelling for all that reach it.
    routing_address text COLLATE "C" NOT NULL,
    name text NOT NULL,
    automation boolean NOT NULL,
    access jsonb NOT NULL,
    -- Secrets inside these three are sealed with the keyring.
    outgoing jsonb,
    imap jsonb,
    dkim jsonb,
    -- The server that it is read from, and the user there; the two ports of IMAP lead to the same.
    imap_login text COLLATE "C" GENERATED ALWAYS AS (
      lower((imap->>'host') || ':' || replace(imap->>'port', '143', '993') || ' ' || (imap->>'user'))) STORED,
    -- Days after its last message that a conversation is kept; null: no end.
    retention_days integer,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL,
    -- A mailbox that is deleted stays for 30 days, out of sight of everything.
    deleted_at timestamptz(3),
    -- When its inbox counters were last compared with its conversations.
    counts_checked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT mailboxes_address UNIQUE (tenant_id, routing_address)
  );
  CREATE INDEX mailboxes_by_address ON mailboxes (tenant_id, address);
  CREATE INDEX mailboxes_domain ON mailboxes (split_part(routing_address, '@', 2));
  CREATE INDEX mailboxes_deleted ON mailboxes (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE INDEX mailboxes_imap_login ON mailboxes (imap_login) WHERE imap_login IS NOT NULL;
  CREATE INDEX mailboxes_checked ON mailboxes (counts_checked_at);
  ${tenantPolicy('mailboxes')}
  -- Restrictive: whatever the service asks, a deleted mailbox is none.
  CREATE POLICY live ON mailboxes AS RESTRICTIVE TO ${serviceRole('mail')} USING (deleted_at IS NULL);
  ${lookupPolicy(
    'mail',
    'mailboxes',
    `SELECT (tenant_id, id, address, routing_address, automation, retention_days, deleted_at,
       counts_checked_at, imap_login),
     UPDATE (deleted_at, counts_checked_at), DELETE`,
  )}
  ${[mailboxSeals.outgoing, mailboxSeals.imap, mailboxSeals.dkim].map((column) => sealedColumn('mail', column)).join('')}

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
  ${tenantPolicy('signatures')}

  -- The spelling of a mailbox's labels: the first one stays. The key is a hash of sameText(name).
  CREATE TABLE labels (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, key)
  );
  ${tenantPolicy('labels')}
  ${lookupPolicy('mail', 'labels')}
`;

/** Accounts that mailboxes are read from, and consents to them that are under way. */
const accounts = `
  -- One for each mailbox whose IMAP server can be logged in to: the servers and passwords stand in mailboxes.
  CREATE TABLE mailbox_accounts (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('password', 'oauth')),
    -- The OAuth provider; null where a password is used.
    provider text,
    -- {sealed, until}: the access token and its end, and the refresh token. Null: consent is needed anew.
    tokens jsonb,
    -- The process that refreshes the tokens, and until when no other does.
    refreshing_by text,
    refreshing_until timestamptz,
    two_way boolean NOT NULL DEFAULT false,
    sent_copy text NOT NULL DEFAULT 'auto' CHECK (sent_copy IN ('auto', 'append', 'never')),
    -- Days before it was connected from which its mail is read; null: all of it.
    history_days integer DEFAULT 90,
    -- Raised with each change of its login.
    logins integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, mailbox_id),
    CONSTRAINT mailbox_accounts_oauth CHECK ((kind = 'oauth') = (provider IS NOT NULL)),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes ON DELETE CASCADE
  );
  ${tenantPolicy('mailbox_accounts')}
  ${lookupPolicy('mail', 'mailbox_accounts', 'SELECT (tenant_id, mailbox_id)')}
  ${sealedColumn('mail', accountSeals.tokens)}

  -- Refused logins of the last hour; the login is a keyed hash of server, user and password.
  CREATE TABLE login_refusals (
    tenant_id text COLLATE "C" NOT NULL,
    login text COLLATE "C" NOT NULL,
    refused_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, login, refused_at)
  );
  ${tenantPolicy('login_refusals')}

  CREATE TABLE oauth_grants (
    tenant_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the state that the provider is to repeat.
    state_hash text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    provider text NOT NULL,
    -- The address that is to log in at the provider.
    login text NOT NULL,
    -- PKCE (RFC 7636).
    sealed_verifier text NOT NULL,
    -- The session that began it, and alone may end it.
    session text COLLATE "C" NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, state_hash),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes ON DELETE CASCADE
  );
  CREATE INDEX oauth_grants_of ON oauth_grants (tenant_id, mailbox_id);
  ${tenantPolicy('oauth_grants')}
  ${lookupPolicy('mail', 'oauth_grants', 'SELECT (tenant_id, state_hash)')}
  ${sealedColumn('mail', accountSeals.verifier)}
`;

/** Domains belong to a workspace: an address is one workspace's by its domain, not by itself. */
const domains = `
  CREATE TABLE domains (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- As the name system spells it: lower case, in ASCII.
    name text COLLATE "C" NOT NULL,
    -- The text that the DNS record must have to prove it.
    token text NOT NULL,
    -- Null: neither proved nor given.
    verified_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT domains_name UNIQUE (tenant_id, name)
  );
  CREATE UNIQUE INDEX domains_verified ON domains (name) WHERE verified_at IS NOT NULL;
  ${tenantPolicy('domains')}
  ${lookupPolicy('mail', 'domains', 'SELECT (tenant_id, name, verified_at)')}
`;

const conversations = `
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
    -- '' is no assignee: what is compared must be a plain column, since row-level security keeps an expression
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
    -- The sender's address as addresses of contacts are compared.
    sender_key text COLLATE "C"
      GENERATED ALWAYS AS (lower((sender ->> 'email') COLLATE "C")) STORED,
    last_message_id text COLLATE "C",
    last_message_at timestamptz(3) NOT NULL,
    waiting_since timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    -- When the row was last written, by the database's clock and never before updated_at: the order of
    -- pages by change (docs/adr/0017).
    changed_at timestamptz(3) NOT NULL,
    -- When it was moved to trash or spam, which are emptied; null elsewhere.
    trashed_at timestamptz(3),
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
  CREATE INDEX conversations_unread ON conversations
    (tenant_id, mailbox_id, placement, last_message_at DESC, id DESC) WHERE unread;
  CREATE INDEX conversations_by_team ON conversations
    (tenant_id, mailbox_id, team_id, placement, last_message_at DESC, id DESC)
    WHERE team_id IS NOT NULL;
  CREATE INDEX conversations_by_sender ON conversations
    (tenant_id, mailbox_id, sender_key, placement, last_message_at DESC, id DESC)
    WHERE sender_key IS NOT NULL;
  CREATE INDEX conversations_waiting ON conversations
    (tenant_id, mailbox_id, placement, waiting_since, id) WHERE waiting_since IS NOT NULL;
  CREATE INDEX conversations_trashed ON conversations (trashed_at) WHERE trashed_at IS NOT NULL;
  ${tenantPolicy('conversations')}
  ${lookupPolicy(
    'mail',
    'conversations',
    `SELECT (tenant_id, id, mailbox_id, placement, status, unread, labels, assignee,
      assignee_key, last_message_id, last_message_at, trashed_at)`,
  )}

  -- Counts of conversations in the inbox of a mailbox: unread ones, and those of each assignee. The sum of
  -- the slots counts; a change adds to one that no other transaction has locked.
  CREATE TABLE inbox_counters (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    -- 'unread', or 'assigned ' and the assignee; '' is none.
    counted text COLLATE "C" NOT NULL,
    slot uuid NOT NULL DEFAULT gen_random_uuid(),
    amount bigint NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, counted, slot)
  ) WITH (fillfactor = 50);
  ${tenantPolicy('inbox_counters')}

  -- The labels of conversations again, in the order of lists. conversations.labels is the truth; a
  -- GIN index on it would not be used, since row-level security keeps @> from using one.
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
  ${tenantPolicy('conversation_labels')}
  ${lookupPolicy('mail', 'conversation_labels')}

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
  CREATE INDEX snoozes_of ON snoozes (tenant_id, conversation_id);
  ${tenantPolicy('snoozes')}

  -- The members who are answering a conversation, each until a time.
  CREATE TABLE conversation_leases (
    tenant_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    -- An Author.
    holder jsonb NOT NULL,
    until timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations ON DELETE CASCADE
  );
  ${tenantPolicy('conversation_leases')}
`;

const messages = `
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
    -- True where a list is the start of a longer one.
    recipients_truncated boolean NOT NULL DEFAULT false,
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
    -- The content of a delivery report about a message that was sent.
    bounced jsonb,
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
    -- The level of trust, with its reasons.
    trust jsonb NOT NULL DEFAULT '{"level": "ordinary", "reasons": []}',
    -- The calendar event that it is about, and the outcome.
    invitation jsonb,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
  );
  CREATE INDEX messages_thread ON messages (tenant_id, conversation_id, received_at, id);
  CREATE UNIQUE INDEX messages_content
    ON messages (tenant_id, mailbox_id, message_id, content_fingerprint)
    WHERE direction = 'inbound' AND message_id IS NOT NULL;
  CREATE INDEX messages_nameless ON messages (tenant_id, mailbox_id, content_fingerprint)
    WHERE message_id IS NULL;
  CREATE INDEX messages_sent_in_sandboxes ON messages (tenant_id, received_at, id)
    WHERE left(tenant_id, 5) = 'ten_7' AND receipt_source IS NOT NULL;
  CREATE INDEX messages_kept ON messages (tenant_id, mailbox_id, kept_by);
  ${tenantPolicy('messages')}

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
    -- The place of its bytes in the message: {start, end, encoding}. Null: there is no such place.
    source jsonb,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, message) REFERENCES messages
  );
  CREATE INDEX attachments_thread ON attachments (tenant_id, conversation_id, message, position);
  CREATE INDEX attachments_of ON attachments (tenant_id, message);
  ${tenantPolicy('attachments')}

  -- Messages as they came, byte for byte. Their trace header stands apart (RFC 5321 section 4.4), so
  -- that what is parsed again later is what was parsed at arrival. A message that is sent is kept before it
  -- leaves, and its row in messages only once it has left.
  CREATE TABLE raw_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    -- The offset of the piece in its message, in bytes.
    start integer NOT NULL DEFAULT 0,
    trace text NOT NULL,
    raw bytea NOT NULL,
    PRIMARY KEY (tenant_id, message, start)
  );
  -- Mostly base64: compressing it costs a second for a large message and gains little.
  ALTER TABLE raw_messages ALTER COLUMN raw SET STORAGE EXTERNAL;
  ${tenantPolicy('raw_messages')}
  ${lookupPolicy('mail', 'raw_messages', 'SELECT (tenant_id, message), DELETE')}

  -- Messages whose pieces are kept, and which no send has begun to transmit (docs/adr/0036).
  CREATE TABLE staged_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, message)
  );
  CREATE INDEX staged_messages_age ON staged_messages (staged_at);
  ${tenantPolicy('staged_messages')}
  ${lookupPolicy('mail', 'staged_messages', 'SELECT, UPDATE, DELETE')}

  -- The conversation of each Message-ID: of messages that are here, and of those that are
  -- only referred to, so that a parent that arrives after its reply joins it.
  CREATE TABLE thread_ids (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, message_id)
  );
  CREATE INDEX thread_ids_of ON thread_ids (tenant_id, conversation_id);
  ${tenantPolicy('thread_ids')}
`;

/** The words of each message that are searched (docs/adr/0019). */
const search = `
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
  ${tenantPolicy('search_documents')}
  ${lookupPolicy('mail', 'search_documents')}

  CREATE TYPE search_conditions AS (
    placements text[], statuses text[], unread boolean, labels text[], without_labels text[],
    assignees text[], without_assignees text[], since timestamptz, until timestamptz
  );
`;

const drafts = `
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
    -- For a draft that a member has sent: the time at which it is to leave, and its sender. Null: it was not sent.
    send_at timestamptz(3),
    send_by text COLLATE "C",
    send_state text COLLATE "C" CHECK (send_state IN ('waiting', 'sending', 'failed')),
    -- Code of what holds it up, or of what it failed with.
    send_reason text COLLATE "C",
    -- SHA-256 of the token that confirms a warning.
    send_warning text COLLATE "C",
    -- When a worker looks after it: while it is sending, the end of its sender's lease.
    send_due timestamptz,
    -- The token of its sender: a sender's steps are refused once another one has it.
    send_token text COLLATE "C",
    CONSTRAINT drafts_scheduled CHECK ((send_state IS NULL) = (send_at IS NULL)
      AND (send_state IS NULL) = (send_by IS NULL)),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes,
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations,
    FOREIGN KEY (tenant_id, in_reply_to) REFERENCES messages,
    -- A draft outlives its signature.
    FOREIGN KEY (tenant_id, signature_id) REFERENCES signatures ON DELETE SET NULL (signature_id)
  );
  CREATE INDEX drafts_list ON drafts (tenant_id, mailbox_id, updated_at DESC, id DESC);
  CREATE INDEX drafts_due ON drafts (send_due) WHERE send_state IN ('waiting', 'sending');
  CREATE INDEX drafts_thread ON drafts (tenant_id, conversation_id) WHERE conversation_id IS NOT NULL;
  CREATE INDEX drafts_answered ON drafts (tenant_id, in_reply_to) WHERE in_reply_to IS NOT NULL;
  CREATE INDEX drafts_signature ON drafts (tenant_id, signature_id) WHERE signature_id IS NOT NULL;
  ${tenantPolicy('drafts')}
  ${lookupPolicy(
    'mail',
    'drafts',
    `SELECT (tenant_id, id, send_state, send_due, send_token),
     UPDATE (send_state, send_due, send_token)`,
  )}

  -- Files of drafts, and those that were uploaded and that no draft has named yet.
  CREATE TABLE draft_files (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    draft_id text COLLATE "C",
    position integer,
    uploaded_by text COLLATE "C",
    -- False while it is uploaded.
    is_whole boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    filename text,
    mime_type text NOT NULL,
    declared_mime_type text,
    size_bytes integer NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes,
    FOREIGN KEY (tenant_id, draft_id) REFERENCES drafts ON DELETE CASCADE
  );
  CREATE INDEX draft_files_unnamed ON draft_files (created_at) WHERE draft_id IS NULL;
  CREATE INDEX draft_files_order ON draft_files (tenant_id, draft_id, position);
  ${tenantPolicy('draft_files')}
  ${lookupPolicy('mail', 'draft_files', 'SELECT (tenant_id, draft_id, created_at)')}

  CREATE TABLE draft_file_pieces (
    tenant_id text COLLATE "C" NOT NULL,
    file_id text COLLATE "C" NOT NULL,
    -- The offset of the piece in its file, in bytes.
    start integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (tenant_id, file_id, start),
    FOREIGN KEY (tenant_id, file_id) REFERENCES draft_files ON DELETE CASCADE
  );
  ALTER TABLE draft_file_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
  ${tenantPolicy('draft_file_pieces')}
`;

/** Data-loss prevention: the rules of a workspace, and the warnings that may still be confirmed. */
const dlp = `
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
  ${tenantPolicy('dlp_rules')}

  CREATE TABLE dlp_warnings (
    tenant_id text COLLATE "C" NOT NULL,
    -- SHA-256 of the token; what was given out is kept nowhere.
    token_hash text COLLATE "C" NOT NULL,
    -- The caller that was warned: an API key, or a member.
    asker_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    -- The subjects of the warning: rules, each in its version, and hashes of suppressed addresses.
    rules text[] NOT NULL,
    expires_at timestamptz NOT NULL,
    -- The token of the reservation that has it; a message that has left keeps it until it is purged.
    taken_by text COLLATE "C",
    PRIMARY KEY (tenant_id, token_hash)
  );
  CREATE INDEX dlp_warnings_expiry ON dlp_warnings (expires_at);
  ${tenantPolicy('dlp_warnings')}
  ${lookupPolicy('mail', 'dlp_warnings', 'SELECT, DELETE')}
`;

/** Reservations of Idempotency-Keys and what becomes of them (docs/adr/0027). */
const sends = `
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
    -- The token of the process that works on it: its steps are refused once another one has the row.
    token text COLLATE "C" NOT NULL,
    -- Until when that process is believed to live; of an unknown one, when to look for it again.
    lease_until timestamptz NOT NULL,
    -- RFC 5322, without angle brackets.
    message_id text COLLATE "C" NOT NULL,
    -- From transmitting on: the message that it is or may become, whose bytes are in raw_messages,
    -- and what its receipt needs beside them.
    message text COLLATE "C",
    outgoing jsonb,
    -- When a copy of the message was imported, which proves that it had left.
    seen_at timestamptz,
    -- The mail server's answer to a message that it refused, or did not confirm.
    said jsonb,
    -- The receipt as it was first answered.
    receipt text,
    created_at timestamptz NOT NULL,
    -- An unknown one outlives it.
    expires_at timestamptz NOT NULL,
    -- The API key that reserved it, for its limit; null of a member's.
    api_key text COLLATE "C",
    PRIMARY KEY (tenant_id, mailbox_id, idempotency_key),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE INDEX send_reservations_of_key ON send_reservations (tenant_id, api_key, created_at)
    WHERE api_key IS NOT NULL;
  CREATE INDEX send_reservations_open ON send_reservations (lease_until)
    WHERE state IN ('transmitting', 'unknown');
  CREATE INDEX send_reservations_expiry ON send_reservations (expires_at);
  ${tenantPolicy('send_reservations')}
  ${lookupPolicy(
    'mail',
    'send_reservations',
    `SELECT (tenant_id, mailbox_id, idempotency_key, state, lease_until, created_at, expires_at),
     UPDATE (lease_until), DELETE`,
  )}
`;

/** Addresses that refused mail for good, or complained. */
const suppressions = `
  CREATE TABLE suppressions (
    tenant_id text COLLATE "C" NOT NULL,
    -- In the spelling that mail is routed by.
    address text COLLATE "C" NOT NULL,
    reason text NOT NULL CHECK (reason IN ('bounced', 'complained', 'member')),
    -- The status in the report; empty for none.
    status text NOT NULL,
    at timestamptz(3) NOT NULL,
    -- The report; it may be gone.
    message text COLLATE "C",
    PRIMARY KEY (tenant_id, address)
  );
  ${tenantPolicy('suppressions')}
`;

const imports = `
  CREATE TABLE imports (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'stopped')),
    bytes_read bigint NOT NULL DEFAULT 0,
    imported integer NOT NULL DEFAULT 0,
    duplicates integer NOT NULL DEFAULT 0,
    unparsed integer NOT NULL DEFAULT 0,
    started_at timestamptz(3) NOT NULL,
    -- The last sign of life: an import that stopped giving any has failed.
    progressed_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE INDEX imports_of_mailbox ON imports (tenant_id, mailbox_id, id DESC);
  ${tenantPolicy('imports')}
`;

/** Mailboxes that are read from accounts at other servers: how far each is, and what is known of it there. */
const syncs = `
  CREATE TABLE mailbox_syncs (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'connecting'
      CHECK (state IN ('connecting', 'history', 'live', 'waiting', 'needs_attention', 'stopped')),
    since timestamptz(3) NOT NULL DEFAULT now(),
    -- The last fault, {code, text, at}; null after a round without any.
    said jsonb,
    -- Rounds in a row that failed, and since when the login has been refused.
    failures integer NOT NULL DEFAULT 0,
    refused_since timestamptz,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    -- Older mail is left where it is; null: none is.
    history_since timestamptz(3),
    -- The server's time of the newest message that was read.
    newest_read_at timestamptz(3),
    -- The process that reads it now. The turn grows with each owner: what an earlier one does is refused.
    lease_owner text COLLATE "C",
    lease_until timestamptz NOT NULL DEFAULT '-infinity',
    turn integer NOT NULL DEFAULT 0,
    -- When members were last told.
    told_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (tenant_id, mailbox_id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailbox_accounts ON DELETE CASCADE
  );
  CREATE INDEX mailbox_syncs_due ON mailbox_syncs (next_try_at) WHERE state <> 'stopped';
  ${tenantPolicy('mailbox_syncs')}
  ${lookupPolicy(
    'mail',
    'mailbox_syncs',
    `SELECT (tenant_id, mailbox_id, state, since, next_try_at, lease_owner, lease_until, turn),
     UPDATE (lease_owner, lease_until, turn)`,
  )}

  -- Folders at the server, each with the numbers of when it was last looked at (RFC 9051 section 2.3.1).
  CREATE TABLE remote_folders (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    folder integer NOT NULL,
    path text COLLATE "C" NOT NULL,
    delimiter text NOT NULL,
    role text NOT NULL
      CHECK (role IN ('inbox', 'sent', 'archive', 'trash', 'junk', 'drafts', 'other')),
    -- A member said what its role is.
    is_role_given boolean NOT NULL DEFAULT false,
    -- Null: it has not been looked at yet.
    uid_validity bigint,
    uid_next bigint NOT NULL DEFAULT 1,
    highest_modseq numeric,
    counted integer NOT NULL DEFAULT 0,
    -- The lowest UID within the horizon, and the horizon that was asked for.
    read_from bigint NOT NULL DEFAULT 1,
    history_to timestamptz NOT NULL DEFAULT 'infinity',
    -- When all flags were last asked for, at a server that does not list changed ones.
    flags_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, mailbox_id, folder),
    CONSTRAINT remote_folders_path UNIQUE (tenant_id, mailbox_id, path),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailbox_syncs ON DELETE CASCADE
  );
  ${tenantPolicy('remote_folders')}
  ${lookupPolicy('mail', 'remote_folders', 'SELECT (tenant_id, mailbox_id, uid_validity)')}

  -- Messages at the server. One that was deleted here stays, so that it is not read again.
  CREATE TABLE remote_messages (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    folder integer NOT NULL,
    uid_validity bigint NOT NULL,
    uid bigint NOT NULL,
    -- Ours. Null while it is still to be read, or if it could not be.
    message text COLLATE "C",
    message_id text COLLATE "C",
    -- Still to be read: as new mail, which is announced by events, or as history.
    wanted text CHECK (wanted IN ('news', 'history')),
    -- Failed attempts to fetch it; after three it is unreadable.
    attempts smallint NOT NULL DEFAULT 0,
    size_bytes bigint,
    -- The server's internal date.
    arrived_at timestamptz(3),
    flags text[] NOT NULL DEFAULT '{}',
    modseq numeric,
    gone_at timestamptz,
    -- It has left the folder, or has come to it from another: what that means is decided when all folders were read.
    moved boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, mailbox_id, folder, uid_validity, uid),
    FOREIGN KEY (tenant_id, mailbox_id, folder) REFERENCES remote_folders ON DELETE CASCADE
  );
  CREATE STATISTICS remote_messages_places (dependencies)
    ON tenant_id, mailbox_id, folder, uid_validity FROM remote_messages;
  CREATE INDEX remote_messages_of ON remote_messages (tenant_id, message) WHERE message IS NOT NULL;
  CREATE INDEX remote_messages_wanted
    ON remote_messages (tenant_id, mailbox_id, wanted, folder, uid_validity, attempts, uid DESC) WHERE wanted IS NOT NULL;
  CREATE INDEX remote_messages_moved ON remote_messages (tenant_id, mailbox_id) WHERE moved;
  ${tenantPolicy('remote_messages')}

  -- Changes made here that are still to be made at the server: for a message and an aspect of it, the state
  -- that it is to have there.
  CREATE TABLE remote_changes (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    aspect text COLLATE "C" NOT NULL CHECK (aspect IN ('place', 'seen', 'answered', 'labels')),
    -- A placement, or the flags of this kind, in lower case and in order.
    wanted text[] COLLATE "C" NOT NULL,
    -- The change that the server was asked for last.
    asked text[] COLLATE "C",
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts smallint NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    -- Why it could not be done, {code, text}, and when it was given up.
    said jsonb,
    given_up_at timestamptz(3),
    PRIMARY KEY (tenant_id, message, aspect),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailbox_syncs ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, message) REFERENCES messages ON DELETE CASCADE
  );
  CREATE INDEX remote_changes_due ON remote_changes (tenant_id, mailbox_id, next_try_at);
  ${tenantPolicy('remote_changes')}
  ${lookupPolicy('mail', 'remote_changes', 'SELECT (tenant_id, mailbox_id, next_try_at, given_up_at)')}

  -- Messages that were sent, or may have been, whose copies are looked for in the account, or written there.
  CREATE TABLE sent_copies (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    -- Times that none was found, since it was written if it was, and when to look next.
    looks smallint NOT NULL DEFAULT 0,
    look_at timestamptz NOT NULL DEFAULT now() + interval '5 seconds',
    -- When a copy was begun to be written, and {uidValidity, uid} once the server has said it.
    written_at timestamptz,
    written jsonb,
    PRIMARY KEY (tenant_id, mailbox_id, message_id),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailbox_syncs ON DELETE CASCADE
  );
  CREATE INDEX sent_copies_due ON sent_copies (tenant_id, mailbox_id, look_at);
  ${tenantPolicy('sent_copies')}
  ${lookupPolicy('mail', 'sent_copies', 'SELECT (tenant_id, mailbox_id, look_at)')}
`;

/** Contacts as events of the directory have left them, for conversations to show. */
const knownContacts = `
  CREATE TABLE known_books (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    is_shared boolean NOT NULL,
    -- The members who may read it, if it is not shared.
    member_ids text[] NOT NULL,
    is_deleted boolean NOT NULL,
    -- Number of its last event that was learnt.
    sequence bigint NOT NULL DEFAULT 0,
    -- A page of a rebuild that was read later says more.
    learnt_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
  );
  ${tenantPolicy('known_books')}

  CREATE TABLE known_contacts (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    book_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    -- As addresses are compared; none of one that is gone.
    addresses text[] COLLATE "C" NOT NULL,
    -- Number of its last event that was learnt, and when what is known of it happened.
    sequence bigint NOT NULL,
    as_of timestamptz(3) NOT NULL,
    -- It was deleted, or merged into another.
    is_gone boolean NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  ${tenantPolicy('known_contacts')}

  CREATE TABLE known_addresses (
    tenant_id text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, address, contact_id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES known_contacts ON DELETE CASCADE
  );
  CREATE INDEX known_addresses_of ON known_addresses (tenant_id, contact_id);
  ${tenantPolicy('known_addresses')}
`;

/** Tasks and events that are about conversations, as events of scheduling have left them. */
const links = `
  CREATE TABLE known_calendars (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    is_shared boolean NOT NULL,
    -- The member who sees it, where it is not shared.
    owner_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, id)
  );
  ${tenantPolicy('known_calendars')}

  CREATE TABLE conversation_links (
    tenant_id text COLLATE "C" NOT NULL,
    -- The task or the event.
    id text COLLATE "C" NOT NULL,
    title text NOT NULL,
    -- Null once it was deleted or is about no conversation: an older event cannot bring it back.
    thread_id text COLLATE "C",
    -- The calendar of an event; null for a task.
    calendar_id text COLLATE "C",
    -- Number of its last event that was learnt.
    sequence bigint NOT NULL,
    learnt_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
  );
  CREATE INDEX conversation_links_of_thread ON conversation_links (tenant_id, thread_id, id)
    WHERE thread_id IS NOT NULL;
  ${tenantPolicy('conversation_links')}
`;

/** Schema `mail`: mailboxes, conversations and their messages, search, drafts, sends, imports. */
export const init: Migration = {
  name: '2026-11-28-init-mail',
  sql: [
    ...[
      mailboxes,
      accounts,
      domains,
      conversations,
      messages,
      search,
      drafts,
      dlp,
      sends,
      suppressions,
      imports,
    ],
    ...[syncs, knownContacts, links],
  ].join(''),
};
