import {
  Button,
  Center,
  Group,
  Loader,
  Skeleton,
  Stack,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { ErrorState } from '../../ui/states.js';
import classes from '../inbox.module.css';
import { useInbox } from '../inbox-state.js';
import { BulkBar } from './bulk-bar.js';
import { ConversationListbox } from './conversation-listbox.js';
import { EmptyList } from './empty-list.js';
import { FilterChips, FilterMenu } from './filter-menu.js';
import { SearchField } from './search-field.js';
import { ViewMenu, ViewTabs } from './view-menu.js';
import { titleOf } from './view-names.js';

/** The list, its view, filters and search. */
export function ListPane(): ReactElement {
  const { query, state } = useInbox();
  const title = titleOf(useAccount(), query.view, query);
  useDocumentTitle(`${title} – Inbox – Postroom`);
  return (
    <section className={classes.list} aria-label="Conversations">
      <div className={classes.head}>
        <Group gap="xs" wrap="nowrap" px="sm" pt="sm" pb={6}>
          <Title order={1} size="h4" style={{ minWidth: 0, flexShrink: 0, maxWidth: '46%' }}>
            <VisuallyHidden>Inbox, </VisuallyHidden>
            <ViewMenu title={title} />
          </Title>
          <SearchField />
          <FilterMenu />
        </Group>
        <ViewTabs view={query.view} />
        <FilterChips />
        <BulkBar />
      </div>
      <FreshRows />
      {state.ids.length > 0 ? <ConversationListbox label={title} /> : <NoRows />}
      {state.ids.length > 0 && <Foot />}
    </section>
  );
}

/** Conversations that came meanwhile wait here, so that the list does not jump. */
function FreshRows(): ReactElement | null {
  const { list, state } = useInbox();
  if (state.fresh === 0) return null;
  return (
    <Center className={classes.fresh}>
      <Button size="compact-sm" radius="xl" onClick={() => list.showFresh()}>
        {state.fresh} new ↑
      </Button>
    </Center>
  );
}

function NoRows(): ReactElement {
  const { list, state } = useInbox();
  if (state.error !== null)
    return (
      <div style={{ padding: 16 }}>
        <ErrorState error={state.error} onRetry={() => void list.more()} />
      </div>
    );
  if (!state.isLoading) return <EmptyList />;
  return (
    <Stack gap={20} p="md" role="status" aria-label="Loading the conversations">
      {Array.from({ length: 7 }, (_, i) => (
        <div key={i}>
          <Skeleton height={10} width="45%" mb={8} />
          <Skeleton height={10} width="80%" mb={8} />
          <Skeleton height={8} />
        </div>
      ))}
    </Stack>
  );
}

/** The page that is read, or why it could not be. */
function Foot(): ReactElement | null {
  const { list, state } = useInbox();
  if (state.error !== null)
    return (
      <div className={classes.foot}>
        <ErrorState error={state.error} onRetry={() => void list.more()} />
      </div>
    );
  if (!state.isLoading) return null;
  return (
    <Center className={classes.foot} role="status" aria-label="Loading more">
      <Loader size="xs" />
    </Center>
  );
}
