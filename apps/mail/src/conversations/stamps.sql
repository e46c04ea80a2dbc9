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
