import { Group, SegmentedControl, Select, Tabs, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Temporal } from 'temporal-polyfill';
import { useAccount } from '../api/account.js';
import { Page } from '../ui/page.js';
import { browserZone } from '../ui/time.js';
import { AgentScores } from './agent-scores.js';
import { periods, type AnalyticsSearch, type Period } from './analytics-search.js';
import { VolumesView } from './volumes-view.js';

/** Volumes of a period, and the agents’ scorecard. */
export function AnalyticsPage(): ReactElement {
  const search = useSearch({ from: '/shell/analytics' });
  const navigate = useNavigate();
  const { member, workspace } = useAccount();
  const { days = 30, show } = search;
  const change = (patch: {
    [name in keyof AnalyticsSearch]?: AnalyticsSearch[name] | undefined;
  }): void => {
    const next = Object.entries({ ...search, ...patch }).filter(([, value]) => value !== undefined);
    void navigate({ to: '/analytics', search: Object.fromEntries(next), replace: true });
  };
  const period = periodOf(days, workspace.timeZone);
  const isAdmin = member.role === 'admin';
  return (
    <Page
      title="Analytics"
      actions={<PeriodChoice days={days} onChange={(value) => change({ days: value })} />}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {dayText(period.from)} to {dayText(period.to)}, days of {workspace.timeZone}
          {workspace.timeZone !== browserZone && ` (you are in ${browserZone})`}
        </Text>
        <SegmentedControl
          {...{ size: 'xs', value: search.as ?? 'chart', 'aria-label': 'Show as' }}
          data={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
          onChange={(value) => change({ as: value === 'table' ? 'table' : undefined })}
        />
      </Group>
      <Tabs
        value={show ?? 'volumes'}
        onChange={(value) => change({ show: value === 'agents' ? 'agents' : undefined })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="volumes">Volumes</Tabs.Tab>
          {isAdmin && <Tabs.Tab value="agents">Agents</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value={show ?? 'volumes'}>
          {show === 'agents' && isAdmin ? (
            <AgentScores {...{ period, isTable: search.as === 'table' }} />
          ) : (
            <VolumesView {...{ period, isTable: search.as === 'table' }} />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** So many days up to today, of the workspace's calendar. */
function periodOf(days: number, timeZone: string): Period {
  const to = Temporal.Now.plainDateISO(timeZone);
  return { from: to.subtract({ days: days - 1 }).toString(), to: to.toString() };
}

const dayText = (day: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

const PeriodChoice = (props: {
  days: number;
  onChange: (days: (typeof periods)[number] | undefined) => void;
}): ReactElement => (
  <Select
    {...{ w: 160, 'aria-label': 'Period', allowDeselect: false, value: String(props.days) }}
    data={periods.map((days) => ({ value: String(days), label: `Last ${days} days` }))}
    onChange={(value) => {
      const days = periods.find((one) => String(one) === value);
      props.onChange(days === 30 ? undefined : days);
    }}
  />
);
