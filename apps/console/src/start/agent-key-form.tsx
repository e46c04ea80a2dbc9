import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { MailboxGrant, NewKey } from '@postroom/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { keysQuery } from '../keys/keys-query.js';
import { MailboxFields } from '../keys/mailbox-fields.js';
import { readScopes, writeScopes } from '../keys/scope-fields.js';
import { ErrorState } from '../ui/states.js';

const agentScopes = [...readScopes, ...writeScopes]
  .map(({ scope }) => scope)
  .filter((scope) => scope !== 'read:analytics');

/** Makes a key for an agent, whose writes wait: it needs a name and mailboxes alone. */
export function AgentKeyForm({ onMade }: { onMade: (made: NewKey) => void }): ReactElement {
  const client = useQueryClient();
  const { member, mailboxes } = useAccount();
  const [name, setName] = useState('');
  const [grants, setGrants] = useState<readonly MailboxGrant[]>(() =>
    mailboxes.map(({ address }) => ({ address, access: 'write' })),
  );
  const [idempotencyKey] = useState(newIdempotencyKey);
  const make = useMutation({
    mutationFn: () =>
      api.post<NewKey>(
        '/keys',
        {
          ...{ name, kind: 'agent', approval: 'required', scopes: agentScopes },
          ...{ mailboxes: grants, member: member.email },
        },
        { idempotencyKey },
      ),
    onSuccess: (made) => {
      onMade(made);
      void client.invalidateQueries(keysQuery);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!make.isPending) make.mutate();
      }}
    >
      <Stack>
        <TextInput
          {...{ label: 'Name of the agent', required: true, maxLength: 120, value: name }}
          placeholder="Support assistant"
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <MailboxFields value={grants} onChange={setGrants} />
        <Text size="sm" c="dimmed">
          It may read and propose drafts, comments, tasks, events and contacts in your name. Each
          write waits for a person, and it can never send mail. Its key can be narrowed later.
        </Text>
        {make.error && <ErrorState error={make.error} />}
        <Group>
          <Button type="submit" loading={make.isPending}>
            Make the agent’s key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
