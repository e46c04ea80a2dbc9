-- Contacts of the books that a member may read, or of one of them, at most p_limit, each with the number
-- of all. It runs as the look-up role and names the tenant in each query: under a policy, neither LIKE nor
-- @> may use an index, since they are not leakproof.
CREATE OR REPLACE FUNCTION list_contacts(
  p_tenant text, p_member text, p_is_admin boolean, p_book text, p_by_change boolean, p_limit integer,
  p_patterns text[], p_grams integer[], p_group text)
RETURNS TABLE (
  id text, book_id text, display_name text, given_name text, family_name text, emails json,
  phones json, organization text, job_title text, groups text[], notes text,
  addresses json, birthday text, urls json, has_photo boolean, merged_from text[],
  author json, created_at timestamptz, updated_at timestamptz, version integer, total bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_books text[];
  v_salts integer[];
  v_total bigint;
  v_ids text[];
BEGIN
  SELECT array_agg(u.book_id), array_agg(u.salt), sum(u.contact_count)
  INTO v_books, v_salts, v_total
  FROM books_of(p_tenant, p_member, p_is_admin) u WHERE p_book IS NULL OR u.book_id = p_book;

  IF cardinality(p_patterns) = 0 AND p_group IS NULL AND cardinality(v_books) = 1 AND NOT p_by_change THEN
    -- As the index has them: to find the ids and then each contact by its own takes four times as long.
    RETURN QUERY
      SELECT c.id, c.book_id, c.display_name, c.given_name, c.family_name, c.emails, c.phones,
        c.organization, c.job_title, c.groups, c.notes, c.addresses, c.birthday, c.urls,
        c.photo IS NOT NULL, c.merged_from, c.author, c.created_at, c.updated_at, c.version, v_total
      FROM contacts c WHERE c.tenant_id = p_tenant AND c.book_id = v_books[1]
      ORDER BY c.display_name COLLATE "fr-x-icu", c.id LIMIT p_limit;
    RETURN;
  ELSIF cardinality(p_patterns) = 0 AND p_group IS NULL THEN
    v_ids := first_contacts(p_tenant, v_books, p_by_change, p_limit);
  ELSE
    SELECT f.ids, f.total INTO v_ids, v_total
    FROM find_contacts(
      p_tenant, v_books, v_salts, p_by_change, p_limit, p_patterns, p_grams, p_group) f;
  END IF;

  RETURN QUERY
    SELECT c.id, c.book_id, c.display_name, c.given_name, c.family_name, c.emails, c.phones,
      c.organization, c.job_title, c.groups, c.notes, c.addresses, c.birthday, c.urls,
      c.photo IS NOT NULL, c.merged_from, c.author, c.created_at, c.updated_at, c.version, v_total
    FROM unnest(v_ids) WITH ORDINALITY AS wanted (id, place)
    JOIN contacts c ON c.tenant_id = p_tenant AND c.id = wanted.id
    ORDER BY wanted.place;
END $$;

-- The groups of the books that a member may read, or of one of them, by name, with the contacts in each. A group is
-- written as the first of its contacts writes it.
CREATE OR REPLACE FUNCTION list_groups(
  p_tenant text, p_member text, p_is_admin boolean, p_book text, p_limit integer)
RETURNS TABLE ("group" text, contacts float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT min(g.name COLLATE "C"), count(*)::float8
    FROM books_of(p_tenant, p_member, p_is_admin) u
    JOIN contacts c ON c.tenant_id = p_tenant AND c.book_id = u.book_id
    CROSS JOIN LATERAL unnest(c.groups, c.group_keys) g (name, key)
    WHERE p_book IS NULL OR u.book_id = p_book
    GROUP BY g.key ORDER BY min(g.name COLLATE "fr-x-icu"), g.key LIMIT p_limit;
END $$;

-- The first contacts of some books, by name or by their last change: the first of each from its index.
CREATE OR REPLACE FUNCTION first_contacts(
  p_tenant text, p_books text[], p_by_change boolean, p_limit integer)
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_by_change THEN
    RETURN ARRAY(
      SELECT first.id FROM unnest(p_books) AS book (id)
      CROSS JOIN LATERAL (
        SELECT c.id, c.updated_at FROM contacts c
        WHERE c.tenant_id = p_tenant AND c.book_id = book.id
        ORDER BY c.updated_at DESC, c.id DESC LIMIT p_limit
      ) first
      ORDER BY first.updated_at DESC, first.id DESC LIMIT p_limit);
  ELSE
    RETURN ARRAY(
      SELECT first.id FROM unnest(p_books) AS book (id)
      CROSS JOIN LATERAL (
        SELECT c.id, c.display_name FROM contacts c
        WHERE c.tenant_id = p_tenant AND c.book_id = book.id
        ORDER BY c.display_name COLLATE "fr-x-icu", c.id LIMIT p_limit
      ) first
      ORDER BY first.display_name COLLATE "fr-x-icu", first.id LIMIT p_limit);
  END IF;
END $$;

-- The first of the contacts of some books that match all patterns and are in the group, and how many they
-- are. Grams are looked for with the salt of each book; where there are none, its contacts are read.
CREATE OR REPLACE FUNCTION find_contacts(
  p_tenant text, p_books text[], p_salts integer[], p_by_change boolean, p_limit integer,
  p_patterns text[], p_grams integer[], p_group text)
RETURNS TABLE (ids text[], total bigint) LANGUAGE plpgsql STABLE
-- The generic plan knows nothing of the grams; contacts_by_name would read the whole book.
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  v_book text;
  v_salt integer;
  v_grams integer[];
  v_ids text[] := '{}';
  v_names text[] := '{}';
  v_times timestamptz[] := '{}';
  v_more record;
BEGIN
  FOR v_book, v_salt IN SELECT * FROM unnest(p_books, p_salts) LOOP
    v_grams := ARRAY(SELECT g # v_salt FROM unnest(p_grams) g);
    IF cardinality(v_grams) > 0 THEN
      SELECT array_agg(c.id) AS ids, array_agg(c.display_name) AS names, array_agg(c.updated_at) AS times
      INTO v_more FROM contacts c
      WHERE c.grams @> v_grams AND c.tenant_id = p_tenant AND c.book_id = v_book
        AND c.search_text LIKE ALL (p_patterns) AND (p_group IS NULL OR p_group = ANY (c.group_keys));
    ELSE
      SELECT array_agg(c.id) AS ids, array_agg(c.display_name) AS names, array_agg(c.updated_at) AS times
      INTO v_more FROM contacts c
      WHERE c.tenant_id = p_tenant AND c.book_id = v_book
        AND c.search_text LIKE ALL (p_patterns) AND (p_group IS NULL OR p_group = ANY (c.group_keys));
    END IF;
    v_ids := v_ids || v_more.ids;
    v_names := v_names || v_more.names;
    v_times := v_times || v_more.times;
  END LOOP;

  total := cardinality(v_ids);
  IF p_by_change THEN
    ids := ARRAY(
      SELECT f.id FROM unnest(v_ids, v_times) AS f (id, at) ORDER BY f.at DESC, f.id DESC LIMIT p_limit);
  ELSE
    ids := ARRAY(
      SELECT f.id FROM unnest(v_ids, v_names) AS f (id, name)
      ORDER BY f.name COLLATE "fr-x-icu", f.id LIMIT p_limit);
  END IF;
  RETURN NEXT;
END $$;

-- A contact, and whether a member may read its book.
CREATE OR REPLACE FUNCTION read_contact(p_tenant text, p_member text, p_is_admin boolean, p_id text)
RETURNS TABLE (contact contacts, can_read boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c, EXISTS (
      SELECT FROM books_of(p_tenant, p_member, p_is_admin) u WHERE u.book_id = c.book_id)
    FROM contacts c
    JOIN address_books b ON b.tenant_id = c.tenant_id AND b.id = c.book_id AND b.deleted_at IS NULL
    WHERE c.tenant_id = p_tenant AND c.id = p_id;
END $$;

-- Locks the book of a contact (see lock_book), and reads the contact as it then is.
CREATE OR REPLACE FUNCTION lock_contact(p_tenant text, p_member text, p_is_admin boolean, p_id text)
RETURNS TABLE (contact contacts, salt integer, can_write boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_book text;
  v_locked record;
BEGIN
  SELECT c.book_id INTO v_book FROM contacts c WHERE c.tenant_id = p_tenant AND c.id = p_id;
  SELECT * INTO v_locked FROM lock_book(p_tenant, p_member, p_is_admin, v_book);
  RETURN QUERY
    SELECT c, v_locked.salt, v_locked.can_write FROM contacts c
    WHERE c.tenant_id = p_tenant AND c.id = p_id AND v_locked.salt IS NOT NULL;
END $$;

-- Forgets what was merged into contacts that are deleted, and into those in their turn.
CREATE OR REPLACE FUNCTION forget_merged(p_tenant text, p_survivors text[]) RETURNS void
LANGUAGE sql AS $$
  WITH RECURSIVE gone AS (
    SELECT m.id FROM merged_contacts m WHERE m.tenant_id = p_tenant AND m.survivor_id = ANY (p_survivors)
    UNION
    SELECT m.id FROM merged_contacts m JOIN gone ON m.survivor_id = gone.id WHERE m.tenant_id = p_tenant
  )
  DELETE FROM merged_contacts m USING gone WHERE m.tenant_id = p_tenant AND m.id = gone.id
$$;

-- Contacts by their ids.
CREATE OR REPLACE FUNCTION read_contacts(p_tenant text, p_ids text[]) RETURNS SETOF contacts
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM contacts c WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids);
END $$;

-- The contacts of a book after one of them, in the order of their ids.
CREATE OR REPLACE FUNCTION book_contacts_after(
  p_tenant text, p_book text, p_after text, p_limit integer)
RETURNS SETOF contacts LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM contacts c
    WHERE c.tenant_id = p_tenant AND c.book_id = p_book AND c.id > p_after ORDER BY c.id LIMIT p_limit;
END $$;
