import type { Key, KeyClient, KeyList, Scope } from '@postroom/contracts';
import { Badge, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { hostOf } from '../../keys/keys-query.js';
import { readScopes, writeScopes } from '../../keys/scope-fields.js';
import { useStreamEvents } from '../../stream/stream.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Icon } from '../../ui/icons.js';
import { tellDone } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { QueryState } from '../../ui/states.js';
import { Time } from '../../ui/time.js';

const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: async ({ signal }) => {
    const { items } = await api.get<KeyList>('/connections', undefined, signal);
    return items.map((key) => ({
      ...key,
      hasEnded: key.expiresAt !== null && Date.parse(key.expiresAt) < Date.now(),
    }));
  },
  // The consent was given in another tab.
  refetchOnWindowFocus: 'always',
});

/** The assistants that the member has connected. */
export function Connections(): ReactElement {
  const client = useQueryClient();
  useStreamEvents(({ type }) => {
    if (type === 'key.used') void client.invalidateQueries(connectionsQuery);
  });
  return (
    <Section title="Connected by you">
      <QueryState query={useQuery(connectionsQuery)}>
        {(items) =>
          items.length === 0 ? (
            <Text size="sm">None yet. Paste the address below into an assistant.</Text>
          ) : (
            <Rows label="Connected by you">
              {items.map(
                (key) => key.client && <Connection key={key.id} of={key} by={key.client} />,
              )}
            </Rows>
          )
        }
      </QueryState>
    </Section>
  );
}

function Connection(props: { of: Key & { hasEnded: boolean }; by: KeyClient }): ReactElement {
  const { of, by } = props;
  const client = useQueryClient();
  return (
    <Row
      start={<Icon name="agent" />}
      title={
        <>
          <bdi>{by.name}</bdi> {of.hasEnded && <Badge color="gray">Ended: connect it again</Badge>}
        </>
      }
      about={
        <>
          {hostOf(by)}
          {!by.id.startsWith('https://') && ', whose name nobody has checked'} · since{' '}
          <Time at={of.createdAt} />,{' '}
          {of.lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used <Time at={of.lastUsedAt} form="relative" />
            </>
          )}
          <br />
          {rightsOf(of.scopes)}
          <br />
          {mailboxesOf(of)}
        </>
      }
    >
      <ConfirmButton
        {...{ label: 'Disconnect', name: `Disconnect ${by.name}`, confirm: 'Disconnect it' }}
        question="It stops at once, and what it has asked for is cancelled. To work again, it has to be connected anew."
        onConfirm={async () => {
          await api.delete(`/connections/${of.id}`);
          await client.invalidateQueries(connectionsQuery);
          tellDone(`${by.name} is disconnected.`);
        }}
      />
    </Row>
  );
}

const lists = new Intl.ListFormat('en');

/** Its scopes, as “Reads conversations and tasks; writes drafts”. */
function rightsOf(scopes: readonly Scope[]): string {
  const named = (verb: string, known: typeof readScopes): string[] => {
    const labels = known.flatMap(({ scope, label }) =>
      scopes.includes(scope) ? [label.toLowerCase()] : [],
    );
    return labels.length === 0 ? [] : [`${verb} ${lists.format(labels)}`];
  };
  const text = [...named('reads', readScopes), ...named('writes', writeScopes)].join('; ');
  return text === '' ? 'May do nothing' : text.charAt(0).toUpperCase() + text.slice(1);
}

const mailboxesOf = ({ mailboxes }: Key): string =>
  mailboxes.length === 0
    ? 'In no mailbox'
    : `In ${lists.format(mailboxes.map(({ address, access }) => (access === 'read' ? `${address} (reading alone)` : address)))}`;
