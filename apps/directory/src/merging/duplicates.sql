-- Pairs of contacts of a book that share keys of likeness, the likeliest first. A key that many share (the
-- switchboard of a company) says little, and no more than 20,000 keys are compared, so that it costs a
-- bounded time however alike the contacts of a book are.
CREATE OR REPLACE FUNCTION list_duplicates(p_tenant text, p_book text, p_limit integer)
RETURNS TABLE (one text, other text, kinds text[]) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    WITH shared AS (
      SELECT l.key, array_agg(c.id ORDER BY c.id) AS ids
      FROM contacts c CROSS JOIN LATERAL unnest(c.likeness) AS l (key)
      WHERE c.tenant_id = p_tenant AND c.book_id = p_book
      GROUP BY l.key HAVING count(*) BETWEEN 2 AND 10
      ORDER BY l.key LIMIT 20000
    )
    SELECT a.id, b.id, array_agg(DISTINCT left(s.key, 1))
    FROM shared s
    CROSS JOIN LATERAL unnest(s.ids) AS a (id)
    JOIN LATERAL unnest(s.ids) AS b (id) ON a.id < b.id
    GROUP BY a.id, b.id
    ORDER BY count(DISTINCT left(s.key, 1)) DESC, count(*) DESC, min(left(s.key, 1)), a.id, b.id
    LIMIT p_limit;
END $$;
