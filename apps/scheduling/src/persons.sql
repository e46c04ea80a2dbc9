-- The events that name an address (in lower case) among the next p_scanned of a workspace, in the order of their ids. The
-- last row has no id, and the last event that was looked at; null where that was the last of all.
CREATE OR REPLACE FUNCTION person_events(p_tenant text, p_email text, p_after text, p_scanned integer)
RETURNS TABLE (id text, scanned text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    WITH looked_at AS MATERIALIZED (
      SELECT e.id, e.content FROM calendar_events e
      WHERE e.tenant_id = p_tenant AND e.id > p_after ORDER BY e.id LIMIT p_scanned
    )
    SELECT l.id, NULL::text FROM looked_at l
    WHERE lower(l.content->'organizer'->>'email') = p_email OR EXISTS (
      SELECT FROM jsonb_path_query(l.content, '$.**.attendees[*].email') one WHERE lower(one #>> '{}') = p_email)
    UNION ALL
    SELECT NULL, CASE WHEN count(*) = p_scanned THEN max(l.id) END FROM looked_at l;
END $$;

-- People of an event, one of them erased.
CREATE OR REPLACE FUNCTION without_person(p_people jsonb, p_email text, p_erased jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_agg(
    CASE WHEN lower(e->>'email') = p_email THEN e || p_erased ELSE e END ORDER BY n), '[]')
  FROM jsonb_array_elements(p_people) WITH ORDINALITY AS people (e, n)
$$;

-- The content of an event, or a changed occurrence of one, without a person.
CREATE OR REPLACE FUNCTION content_without_person(p_content jsonb, p_email text, p_erased jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_content
    || CASE WHEN lower(p_content->'organizer'->>'email') = p_email
      THEN jsonb_build_object('organizer', p_content->'organizer' || p_erased) ELSE '{}' END
    || CASE WHEN jsonb_typeof(p_content->'attendees') = 'array'
      THEN jsonb_build_object('attendees', without_person(p_content->'attendees', p_email, p_erased)) ELSE '{}' END
$$;
