import { Button, Group, Modal, Stack } from '@mantine/core';
import type { NewKey } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { KeyForm, valuesOf, type KeyValues } from './key-form.js';
import { keysQuery } from './keys-query.js';
import { SecretOnce } from './secret-once.js';

/** Makes a key and shows its secret, once. */
export const NewKeyDialog = (props: { opened: boolean; onClose: () => void }): ReactElement => (
  <Modal
    {...{ ...props, title: 'New key', size: 'lg', closeOnClickOutside: false }}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {props.opened && <NewKeyForm onDone={props.onClose} />}
  </Modal>
);

/** The body of a request for a new key: agents alone have a mode of approval. */
export const bodyOf = ({ approval, ...values }: KeyValues): object =>
  values.kind === 'agent' ? { ...values, approval } : values;

function NewKeyForm({ onDone }: { onDone: () => void }): ReactElement {
  const client = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [made, setMade] = useState<NewKey | null>(null);
  if (made)
    return (
      <Stack>
        <SecretOnce made={made} />
        <Group justify="flex-end">
          <Button onClick={onDone}>I have copied it</Button>
        </Group>
      </Stack>
    );
  return (
    <KeyForm
      {...{ values: valuesOf(), isNew: true, submitLabel: 'Make the key' }}
      onSubmit={async (values) => {
        setMade(await api.post<NewKey>('/keys', bodyOf(values), { idempotencyKey }));
        await client.invalidateQueries(keysQuery);
      }}
    />
  );
}
