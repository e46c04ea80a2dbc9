import { Anchor, Group, Select, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { fieldErrorsOf } from '../api/problem.js';
import classes from './compose.module.css';
import type { Content } from './content.js';
import type { DraftSession, SessionState } from './draft-session.js';
import { RecipientsField } from './recipients-field.js';
import { useDefaultSignature } from './signature-line.js';

type Field = 'to' | 'cc' | 'bcc';

const labels: Readonly<Record<Field, string>> = { to: 'To', cc: 'Cc', bcc: 'Bcc' };

/** From, to whom, and about what. */
export function AddressRows(props: {
  session: DraftSession;
  state: SessionState;
  isNew: boolean;
  hasFocus: boolean;
}): ReactElement {
  const { session, state, isNew, hasFocus } = props;
  const { content, isSending, error } = state;
  const [isWhole, setIsWhole] = useState(false);
  const errors = fieldErrorsOf(error);
  const shown = (['to', 'cc', 'bcc'] as const).filter(
    (field) => field === 'to' || isWhole || content[field].length > 0,
  );
  return (
    <Group gap={0} px="sm" display="block">
      {isNew && <FromRow {...{ session, content, isFrozen: isSending }} />}
      {shown.map((field) => (
        <RecipientsField
          key={field}
          {...{ label: labels[field], value: content[field], isFrozen: isSending }}
          hasFocus={hasFocus && field === 'to'}
          error={errorOf(errors, field)}
          onChange={(value) => session.change({ [field]: value })}
          aside={
            field === 'to' &&
            shown.length < 3 && (
              <Anchor component="button" type="button" size="sm" onClick={() => setIsWhole(true)}>
                Cc, Bcc
              </Anchor>
            )
          }
        />
      ))}
      {(isNew || isWhole) && (
        <div className={classes.row}>
          <label className={classes.rowLabel} htmlFor="compose-subject">
            Subject
          </label>
          <TextInput
            {...{ id: 'compose-subject', variant: 'unstyled', flex: 1, value: content.subject }}
            {...{ maxLength: 998, disabled: isSending, error: errorOf(errors, 'subject') }}
            onChange={({ currentTarget }) => session.change({ subject: currentTarget.value })}
          />
        </div>
      )}
    </Group>
  );
}

/** The first fault of a field, however deep in it. */
function errorOf(errors: Readonly<Record<string, string>>, field: string): string | undefined {
  const found = Object.entries(errors).find(
    ([path]) => path.replace(/^draft\./, '').split('.')[0] === field,
  );
  return found?.[1];
}

/** The mailbox that a message is from. Its files stay in the mailbox they were uploaded to. */
function FromRow(props: {
  session: DraftSession;
  content: Content;
  isFrozen: boolean;
}): ReactElement {
  const { session, content, isFrozen } = props;
  const { mailboxes } = useAccount();
  const signatureOf = useDefaultSignature();
  const hasFiles = content.attachments.length > 0;
  const own = mailboxes.filter(({ access }) => access === 'write');
  return (
    <div className={classes.row}>
      <label className={classes.rowLabel} htmlFor="compose-from">
        From
      </label>
      <Select
        {...{ id: 'compose-from', variant: 'unstyled', flex: 1, value: content.mailbox }}
        {...{ allowDeselect: false, disabled: isFrozen || hasFiles || content.threadId !== null }}
        data={own.map(({ address, name }) => ({ value: address, label: `${name} <${address}>` }))}
        description={hasFiles ? 'Remove the files to write from another mailbox.' : undefined}
        onChange={(mailbox) => {
          if (mailbox !== null) void session.move(mailbox, signatureOf(mailbox));
        }}
      />
    </div>
  );
}
