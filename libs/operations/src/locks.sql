-- Locks by name, for what no row stands for. Unlike advisory locks they belong to one schema, so that the role of
-- no other service can hold one.

-- Waits until no other transaction has the lock of this name, and has it until this one ends. The row that others
-- wait for is never visible to another transaction: names cost nothing once they are free.
CREATE OR REPLACE FUNCTION take_lock(p_name text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_row tid;
BEGIN
  INSERT INTO held_locks (name) VALUES (sha256(convert_to(p_name, 'UTF8'))) RETURNING ctid INTO v_row;
  DELETE FROM held_locks WHERE ctid = v_row;
END $$;

-- Answers true if this transaction has the turn of this name until it ends, false if another one has it. The rows of
-- turns stay, so their names are few; a transaction waits while the row is made for the first time.
CREATE OR REPLACE FUNCTION try_turn(p_name text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_name bytea := sha256(convert_to('turn ' || p_name, 'UTF8'));
BEGIN
  INSERT INTO held_locks (name) VALUES (v_name) ON CONFLICT DO NOTHING;
  PERFORM FROM held_locks WHERE name = v_name FOR UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;
