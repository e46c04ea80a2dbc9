import type { Suppression, SuppressionPage } from '@postroom/contracts';
import { Button, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/api.js';
import { suppressionReason } from '../../compose/words.js';
import { offerUndo, tellFailure } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { Row, Rows } from '../../ui/row.js';
import { ErrorState, Loading, ShowMore } from '../../ui/states.js';
import { LineForm, useSubmit } from '../../ui/submit.js';
import { Time } from '../../ui/time.js';

const suppressionsQuery = infiniteQueryOptions({
  queryKey: ['settings', 'suppressions'],
  queryFn: ({ pageParam, signal }) =>
    api.get<SuppressionPage>('/v1/suppressions', { limit: 100, pageToken: pageParam }, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextPageToken }) => nextPageToken,
});

/** The addresses to which a send has to be confirmed. */
export function Suppressions(): ReactElement {
  const query = useInfiniteQuery(suppressionsQuery);
  const { data, error, refetch } = query;
  const items = data?.pages.flatMap(({ suppressions }) => suppressions) ?? [];
  return (
    <Section
      title="Suppressed addresses"
      about="Mail to them came back for good, or their readers complained. Who writes to one is asked once more before the message leaves."
    >
      <AddAddress />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {query.isPending && <Loading />}
      {data && items.length === 0 && (
        <Text size="sm">None: every address can be written to without a question.</Text>
      )}
      {items.length > 0 && (
        <Rows label="Suppressed addresses">
          {items.map((one) => (
            <AddressRow key={one.address} suppression={one} />
          ))}
        </Rows>
      )}
      <ShowMore query={query} />
    </Section>
  );
}

function useChanges() {
  const client = useQueryClient();
  const fresh = (): Promise<void> => client.invalidateQueries(suppressionsQuery);
  return {
    add: (address: string) => api.post('/suppressions', { address }).then(fresh),
    remove: (address: string) =>
      api.delete(`/suppressions/${encodeURIComponent(address)}`).then(fresh),
  };
}

function AddressRow({ suppression }: { suppression: Suppression }): ReactElement {
  const { address, at } = suppression;
  const { add, remove } = useChanges();
  const removeNow = (): void => {
    const undo = (): void => void add(address).catch(tellFailure);
    remove(address).then(
      () => offerUndo(`${address} can be written to again.`, undo),
      (error: unknown) => tellFailure(error, removeNow),
    );
  };
  return (
    <Row
      title={<bdi>{address}</bdi>}
      about={
        <>
          <Time at={at} />, <bdi>{suppressionReason(suppression)}</bdi>
        </>
      }
    >
      <Button
        {...{ size: 'xs', variant: 'default', onClick: removeNow }}
        aria-label={`Remove ${address}`}
      >
        Remove
      </Button>
    </Row>
  );
}

function AddAddress(): ReactElement {
  const form = useForm({ initialValues: { address: '' } });
  const { add } = useChanges();
  const submission = useSubmit(form, async ({ address }) => {
    await add(address.trim());
    form.reset();
  });
  return (
    <LineForm {...{ form, submission }} variant="default" label="Add it">
      <TextInput
        {...{ label: 'Address to suppress', type: 'email', required: true, flex: 1, maw: 360 }}
        {...form.getInputProps('address')}
      />
    </LineForm>
  );
}
