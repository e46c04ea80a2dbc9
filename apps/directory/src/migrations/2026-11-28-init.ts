import { lookupPolicy, tenantPolicy, type Migration } from '@postroom/persistence/provision';

const books = `
  CREATE TABLE address_books (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    -- Open to the whole workspace; otherwise to address_book_members.
    is_shared boolean NOT NULL,
    -- Kept by every change of its contacts, which lock the book: a list need not count.
    contact_count integer NOT NULL DEFAULT 0,
    -- Mixed into the search grams of its contacts, so that one index serves all books and a look-up meets
    -- the contacts of one alone.
    salt integer NOT NULL,
    -- Numbers the internal events about its access.
    sequence bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    -- It is deleted with its contacts, a part at a time, and out of sight until that is done.
    deleted_at timestamptz(3),
    -- The actor that deleted it, for the events of its contacts; null once they are gone.
    deleted_by json,
    PRIMARY KEY (tenant_id, id)
  );
  CREATE INDEX address_books_deleted ON address_books (deleted_at) WHERE deleted_at IS NOT NULL;
  -- Those whose contacts are still to be deleted, without those that are empty and remembered for a time.
  CREATE INDEX address_books_emptying ON address_books (deleted_at) WHERE deleted_by IS NOT NULL;
  ${tenantPolicy('address_books')}
  ${lookupPolicy('directory', 'address_books')}

  CREATE TABLE address_book_members (
    tenant_id text COLLATE "C" NOT NULL,
    book_id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    can_write boolean NOT NULL,
    PRIMARY KEY (tenant_id, book_id, member_id),
    FOREIGN KEY (tenant_id, book_id) REFERENCES address_books ON DELETE CASCADE
  );
  ${tenantPolicy('address_book_members')}
  ${lookupPolicy('directory', 'address_book_members')}
`;

const contacts = `
  -- JSON that keeps the order of what was given: hence json, not jsonb.
  CREATE TABLE contacts (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    book_id text COLLATE "C" NOT NULL,
    display_name text NOT NULL,
    -- The display name was given, and is not derived again when other fields change.
    is_named boolean NOT NULL,
    given_name text,
    family_name text,
    emails json NOT NULL,
    phones json NOT NULL,
    organization text,
    job_title text,
    groups text[] NOT NULL,
    notes text,
    addresses json NOT NULL DEFAULT '[]',
    -- YYYY-MM-DD, or --MM-DD where the year is not known.
    birthday text,
    urls json NOT NULL DEFAULT '[]',
    -- SHA-256 of its photo, in hexadecimal.
    photo text COLLATE "C",
    merged_from text[] COLLATE "C" NOT NULL DEFAULT '{}',
    merge_log json NOT NULL DEFAULT '[]',
    author json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    version integer NOT NULL DEFAULT 1,
    sequence bigint NOT NULL DEFAULT 1,
    -- SHA-256 of its deduplication key (public-api.md §2): the key itself may be too long for an index.
    dedupe_key bytea NOT NULL,
    -- Name, organization and addresses as they are searched, and hashes of their trigrams with the salt of
    -- the book.
    search_text text COLLATE "C" NOT NULL,
    grams integer[] NOT NULL,
    -- Its groups as they are compared.
    group_keys text[] NOT NULL,
    -- Keys shared with likely duplicates (see likely-same.ts).
    likeness text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT contacts_once UNIQUE (tenant_id, book_id, dedupe_key),
    FOREIGN KEY (tenant_id, book_id) REFERENCES address_books
  );
  CREATE INDEX contacts_by_name
    ON contacts (tenant_id, book_id, display_name COLLATE "fr-x-icu", id COLLATE "C");
  CREATE INDEX contacts_by_change ON contacts (tenant_id, book_id, updated_at DESC, id DESC);
  CREATE INDEX contacts_grams ON contacts USING gin (grams);
  ${tenantPolicy('contacts')}
  ${lookupPolicy('directory', 'contacts')}
`;

const photos = `
  -- Photos by their SHA-256: contacts that have the same one, and those that were merged, share it.
  CREATE TABLE contact_photos (
    tenant_id text COLLATE "C" NOT NULL,
    sha256 text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    -- When it was last given to a contact: one that no contact has goes an hour later.
    given_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, sha256)
  );
  ALTER TABLE contact_photos ALTER COLUMN bytes SET STORAGE EXTERNAL;
  ${tenantPolicy('contact_photos')}
  ${lookupPolicy('directory', 'contact_photos', 'SELECT, UPDATE, DELETE')}
  CREATE INDEX contacts_photo ON contacts (tenant_id, photo) WHERE photo IS NOT NULL;
`;

const merges = `
  -- Contacts that were merged, as they were, so that it can be undone.
  CREATE TABLE merged_contacts (
    tenant_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    book_id text COLLATE "C" NOT NULL,
    -- The contact that absorbed it, which may have been merged in its turn.
    survivor_id text COLLATE "C" NOT NULL,
    -- A row of contacts.
    record json NOT NULL,
    -- The values that it gave to the survivor, by field.
    absorbed json NOT NULL,
    merged_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, book_id) REFERENCES address_books
  );
  CREATE INDEX merged_contacts_of ON merged_contacts (tenant_id, survivor_id);
  CREATE INDEX merged_contacts_photo ON merged_contacts (tenant_id, (record->>'photo'))
    WHERE record->>'photo' IS NOT NULL;
  ${tenantPolicy('merged_contacts')}
  ${lookupPolicy('directory', 'merged_contacts', 'SELECT (tenant_id, record)')}
`;

/** Schema `directory`: address books, their contacts, and what was merged. */
export const init: Migration = {
  name: '2026-11-28-init-directory',
  sql: books + contacts + photos + merges,
};
