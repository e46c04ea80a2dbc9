import type { MemberSession } from '@postroom/contracts';
import { Badge, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { Row, Rows } from '../ui/row.js';
import { Section } from '../ui/page.js';
import { ErrorState, Loading } from '../ui/states.js';
import { Time } from '../ui/time.js';
import { sessionsQuery } from './queries.js';

/** A member's sessions, each with a button that ends it. */
export function Sessions(): ReactElement {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const client = useQueryClient();
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const others = data?.items.filter(({ current }) => !current) ?? [];
  return (
    <Section
      title="Sessions"
      about="Each browser in which you are signed in. End what you do not know, and change your password."
      actions={
        others.length > 0 && (
          <ConfirmButton
            {...{ label: 'End all others', confirm: 'End them' }}
            question={`${others.length === 1 ? 'One session ends' : `${others.length} sessions end`}; this one stays.`}
            onConfirm={async () => {
              for (const { id } of others) await api.delete(`/sessions/${id}`);
              await refresh();
              tellDone('All other sessions have ended.');
            }}
          />
        )
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <Rows label="Sessions">
          {data.items.map((session) => (
            <SessionRow key={session.id} {...{ session, onEnded: () => void refresh() }} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function SessionRow(props: { session: MemberSession; onEnded: () => void }): ReactElement {
  const { id, device, address, createdAt, seenAt, current } = props.session;
  const name = device ?? 'Unknown device';
  const end = (): void => {
    api.delete(`/sessions/${id}`).then(props.onEnded, tellFailure);
  };
  return (
    <Row
      title={<bdi>{name}</bdi>}
      about={
        <>
          {address === null ? 'Address unknown' : `From ${address}`}, since <Time at={createdAt} />
          {!current && (
            <>
              , last used <Time at={seenAt} form="relative" />
            </>
          )}
        </>
      }
    >
      {current ? (
        <Badge variant="light" color="teal">
          This browser
        </Badge>
      ) : (
        <Button
          {...{ size: 'xs', variant: 'default', onClick: end }}
          aria-label={`End the session of ${name}`}
        >
          End
        </Button>
      )}
    </Row>
  );
}
