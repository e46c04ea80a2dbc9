import {
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Account } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { accountQuery, useAccount } from '../api/account.js';
import { pageIsOpen } from '../api/session.js';
import { forgetOthers } from './unsaved.js';
import { openNewMessage } from '../compose/open-composer.js';
import { PanelDock } from '../compose/panel-dock.js';
import { followStream, useStreamEvents } from '../stream/stream.js';
import { Icon } from '../ui/icons.js';
import { undoLatest } from '../ui/notices.js';
import { ConnectionBar, UpgradeBar, useCatchUp } from './bars.js';
import { Help, showHelp } from './help.js';
import { AccountMenu } from './account-menu.js';
import { Palette, showPalette } from './palette.js';
import { useBrowserNotices, useWaitingMark } from './browser-notices.js';
import { NotAllowed } from './page-error.js';
import { tellOtherTabs } from './other-tabs.js';
import {
  isForAdmins,
  placesFor,
  workPlaces,
  workspacePlaces,
  type NavigationEntry,
} from './places.js';
import { SessionDialog } from './session-dialog.js';
import { readKeys, useShortcuts } from './shortcuts.js';

/** The frame around every page: navigation, connection, palette, help, and the sign-in over the page. */
export function Shell(): ReactElement {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(close, [path, close]);
  useEffect(pageIsOpen, []);
  useEffect(readKeys, []);
  const account = useAccount();
  const isAllowed = account.member.role === 'admin' || !isForAdmins(path);
  const { id } = account.member;
  useEffect(() => tellOtherTabs(id), [id]);
  useEffect(() => followStream(id), [id]);
  useEffect(() => forgetOthers(id), [id]);
  useCounts();
  useCatchUp();
  useWaitingMark(toDecide(account) + account.counts.mine);
  useBrowserNotices(account);
  useShellShortcuts();
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <AppShell.Header hiddenFrom="sm" px="sm">
        <Group h="100%" gap="sm">
          <Burger
            {...{ opened: isOpen, onClick: toggle, size: 'sm' }}
            {...{ 'aria-label': 'Navigation', 'aria-expanded': isOpen }}
          />
          <Text fw={700}>Postroom</Text>
          <SandboxBadge />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <Navigation path={path} />
      </AppShell.Navbar>
      <AppShell.Main>
        <ConnectionBar />
        <UpgradeBar />
        {isAllowed ? <Outlet /> : <NotAllowed />}
      </AppShell.Main>
      <Palette />
      <Help />
      <PanelDock />
      <SessionDialog />
    </AppShell>
  );
}

function Navigation({ path }: { path: string }): ReactElement {
  const account = useAccount();
  const { member, workspace, mailboxes } = account;
  const unread = mailboxes.reduce((sum, mailbox) => sum + mailbox.unread, 0);
  const waiting: Readonly<Record<string, number>> = {
    '/approvals': toDecide(account),
    '/inbox': unread,
  };
  const linkTo = (place: NavigationEntry): ReactElement => (
    <PlaceLink
      key={place.to}
      {...{ place, count: waiting[place.to] ?? 0 }}
      isCurrent={place.to === '/' ? path === '/' : path.startsWith(place.to)}
    />
  );
  const isAllowed = ({ adminOnly }: NavigationEntry): boolean =>
    !adminOnly || member.role === 'admin';
  return (
    <>
      <Group gap={6} px="sm" py={6} wrap="nowrap" visibleFrom="sm">
        <Text fw={700} truncate>
          {workspace.name}
        </Text>
        <SandboxBadge />
      </Group>
      <Button
        {...{ variant: 'default', mx: 'xs', mb: 'xs', onClick: () => openNewMessage() }}
        leftSection={<Icon name="edit" size={16} />}
      >
        New message
      </Button>
      <ScrollArea flex={1} type="auto" scrollbarSize={6}>
        {workPlaces.map(linkTo)}
        <Text size="xs" c="dimmed" px="sm" pt="md" pb={4}>
          Workspace
        </Text>
        {workspacePlaces.filter(isAllowed).map(linkTo)}
      </ScrollArea>
      <Box pt="xs">
        <NavLink
          {...{ component: 'button', onClick: showPalette, label: 'Commands' }}
          leftSection={<Icon name="search" />}
          rightSection={
            <Text size="xs" c="dimmed">
              Ctrl K
            </Text>
          }
        />
        <AccountMenu />
      </Box>
    </>
  );
}

/** Approvals that wait for this member: who may not decide is not called to them. */
const toDecide = ({ member, counts }: Account): number =>
  member.canApprove ? counts.approvals : 0;

/** Says in a sandbox that nothing here is real. */
const SandboxBadge = (): ReactElement | null =>
  useAccount().workspace.sandbox ? (
    <Badge {...{ color: 'yellow', variant: 'light', flex: 'none' }}>Sandbox</Badge>
  ) : null;

const PlaceLink = (props: {
  place: NavigationEntry;
  count: number;
  isCurrent: boolean;
}): ReactElement => (
  <NavLink
    {...{ component: Link, to: props.place.to, label: props.place.label, active: props.isCurrent }}
    aria-current={props.isCurrent ? 'page' : undefined}
    leftSection={<Icon name={props.place.icon} />}
    rightSection={
      props.count > 0 && (
        <Badge size="sm" variant="light" aria-label={`${props.count} waiting`}>
          {props.count > 999 ? '999+' : props.count}
        </Badge>
      )
    }
  />
);

/** Counts what waits again, soon after an event of the stream; once for many events. */
function useCounts(): void {
  const client = useQueryClient();
  useStreamEvents(({ type }) => {
    if (!/^(approval|conversation|reset|reminder|draft\.sent)/.test(type)) return;
    countsTimer ??= setTimeout(() => {
      countsTimer = null;
      void client.invalidateQueries({ queryKey: accountQuery.queryKey });
    }, 1_000);
  });
}

let countsTimer: ReturnType<typeof setTimeout> | null = null;

function useShellShortcuts(): void {
  const navigate = useNavigate();
  const { member } = useAccount();
  useShortcuts([
    ...placesFor(member.role).flatMap(({ key, label, to }) =>
      key === undefined
        ? []
        : [{ keys: `g ${key}`, label: `Go to ${label}`, run: () => void navigate({ to }) }],
    ),
    { keys: 'n', label: 'New message', run: () => openNewMessage() },
    { keys: '?', label: 'Show the shortcuts', run: showHelp },
    { keys: 'z', label: 'Undo', run: () => void undoLatest() },
  ]);
}
