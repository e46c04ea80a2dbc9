-- Copies of what was sent, which belong into the account's folder of sent mail. One that has left, or may have, is looked
-- for there soon.
CREATE OR REPLACE FUNCTION expect_sent_copy() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO sent_copies AS c (tenant_id, mailbox_id, message_id, message)
    SELECT NEW.tenant_id, NEW.mailbox_id, NEW.message_id, NEW.message
    FROM mailbox_syncs s JOIN mailbox_accounts a ON a.tenant_id = s.tenant_id AND a.mailbox_id = s.mailbox_id
    WHERE s.tenant_id = NEW.tenant_id AND s.mailbox_id = NEW.mailbox_id AND NEW.message IS NOT NULL
      AND (a.sent_copy <> 'never' OR NEW.state = 'unknown')
    ON CONFLICT (tenant_id, mailbox_id, message_id) DO UPDATE SET looks = 0, look_at = EXCLUDED.look_at;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER expect_sent_copy AFTER UPDATE OF state ON send_reservations
  FOR EACH ROW WHEN (NEW.state IN ('sent', 'unknown') AND NEW.state <> OLD.state) EXECUTE FUNCTION expect_sent_copy();
