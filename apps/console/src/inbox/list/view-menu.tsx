import { Menu, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { Icon, type IconName } from '../../ui/icons.js';
import classes from '../inbox.module.css';
import { views, type InboxSearch, type View } from '../search-params.js';
import { useLabels } from './list-sources.js';
import { countOf, viewIcons, viewNames } from './view-names.js';

const shown = ['mine', 'unassigned', 'all'] as const;

/** The three views of daily work, side by side. */
export function ViewTabs({ view }: { view: View }): ReactElement {
  const account = useAccount();
  return (
    <nav className={classes.tabs} aria-label="Views">
      {shown.map((one) => {
        const count = countOf(account, one);
        return (
          <Link
            key={one}
            {...{ to: '/inbox/$view', params: { view: one }, search: {}, className: classes.tab }}
            aria-current={view === one ? 'page' : undefined}
          >
            {viewNames[one]}
            {count !== null && count > 0 && <span className={classes.count}>{count}</span>}
          </Link>
        );
      })}
    </nav>
  );
}

const labelsShown = 30;

/** The name of what is shown, which opens every other view. */
export const ViewMenu = ({ title }: { title: string }): ReactElement => (
  <Menu position="bottom-start" width={260} shadow="md">
    <Menu.Target>
      <UnstyledButton className={classes.title} aria-label={`${title}: change the view`}>
        <Text component="span" fw={700} size="lg" truncate>
          <bdi>{title}</bdi>
        </Text>
        <Icon name="down" size={16} />
      </UnstyledButton>
    </Menu.Target>
    <Menu.Dropdown>
      <ScrollArea.Autosize mah="70dvh" type="auto">
        <Choices />
      </ScrollArea.Autosize>
    </Menu.Dropdown>
  </Menu>
);

function Choices(): ReactElement {
  const account = useAccount();
  const labels = useLabels();
  return (
    <>
      <ViewChoices chosen={views.slice(0, views.indexOf('sent'))} />
      <Menu.Item {...{ component: Link, to: '/inbox/drafts' }} leftSection={icon('edit')}>
        Drafts
      </Menu.Item>
      <Menu.Item
        {...{ component: Link, to: '/inbox/drafts', search: { state: 'scheduled' } as never }}
        leftSection={icon('snooze')}
      >
        Scheduled
      </Menu.Item>
      <ViewChoices chosen={views.slice(views.indexOf('sent'))} />
      <Menu.Label>Mailboxes</Menu.Label>
      {account.mailboxes.map(({ address, unread }) => (
        <Choice
          key={address}
          search={{ mailbox: address }}
          icon="mailbox"
          label={address}
          count={unread}
        />
      ))}
      {account.teams.length > 0 && <Menu.Label>Teams</Menu.Label>}
      {account.teams.map(({ id, name }) => (
        <Choice key={id} search={{ team: id }} icon="team" label={name} count={null} />
      ))}
      {labels.length > 0 && <Menu.Label>Labels</Menu.Label>}
      {labels.slice(0, labelsShown).map(({ label, conversations }) => (
        <Choice key={label} search={{ label }} icon="label" label={label} count={conversations} />
      ))}
    </>
  );
}

const ViewChoices = ({ chosen }: { chosen: readonly View[] }): ReactElement => {
  const account = useAccount();
  return (
    <>
      {chosen
        .filter((view) => view !== 'search')
        .map((view) => (
          <Choice
            key={view}
            {...{ view, icon: viewIcons[view] }}
            label={viewNames[view]}
            count={countOf(account, view)}
          />
        ))}
    </>
  );
};

const icon = (name: IconName): ReactElement => <Icon name={name} size={16} />;

const Choice = (props: {
  view?: View;
  search?: InboxSearch;
  icon: IconName;
  label: string;
  count: number | null;
}): ReactElement => (
  <Menu.Item
    component={Link}
    to="/inbox/$view"
    params={{ view: props.view ?? 'all' } as never}
    search={(props.search ?? {}) as never}
    leftSection={icon(props.icon)}
    rightSection={
      props.count !== null && props.count > 0 ? (
        <Text size="xs" c="dimmed">
          {props.count}
        </Text>
      ) : null
    }
  >
    <bdi>{props.label}</bdi>
  </Menu.Item>
);
