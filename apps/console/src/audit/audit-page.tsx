import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { urlOf } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading, ShowMore } from '../ui/states.js';
import { AuditFilters } from './audit-filters.js';
import { auditQuery, filtersOf } from './audit-query.js';
import type { AuditSearch } from './audit-search.js';
import { AuditTable } from './audit-table.js';
import { Verification } from './verification.js';

/** Every change of the workspace, as the sealed chain has it. */
export function AuditPage(): ReactElement {
  const search = useSearch({ from: '/shell/audit' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(auditQuery(search));
  const entries = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const change = (patch: AuditSearch): void => {
    const next = Object.entries({ ...search, ...patch }).filter(([, value]) => value !== '');
    void navigate({ to: '/audit', search: Object.fromEntries(next), replace: true });
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title="Audit"
      intro="Who changed what, and by which way. Entries are sealed into a chain, so that a change of the past shows."
      actions={<Export search={search} isFiltered={isFiltered} />}
    >
      <Verification />
      <AuditFilters {...{ search, entries }} onChange={change} />
      {query.isPending && <Loading />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && entries.length === 0 && (
        <NoEntries
          isFiltered={isFiltered}
          onClear={() => void navigate({ to: '/audit', search: {} })}
        />
      )}
      {entries.length > 0 && <AuditTable entries={entries} onFilter={change} />}
      <ShowMore query={query} label="Show older entries" />
    </Page>
  );
}

const NoEntries = (props: { isFiltered: boolean; onClear: () => void }): ReactElement => (
  <EmptyState
    icon="audit"
    title="No entries"
    action={
      props.isFiltered && (
        <Button variant="default" onClick={props.onClear}>
          Show all
        </Button>
      )
    }
  >
    {props.isFiltered
      ? 'No entry has all of what is chosen above.'
      : 'Whatever is changed in the workspace is written down here.'}
  </EmptyState>
);

const Export = (props: { search: AuditSearch; isFiltered: boolean }): ReactElement => (
  <Button
    {...{ component: 'a', variant: 'default', download: 'audit.ndjson' }}
    href={urlOf('/audit/export', filtersOf(props.search))}
    leftSection={<Icon name="download" size={16} />}
  >
    {props.isFiltered ? 'Export these' : 'Export all'}
  </Button>
);
