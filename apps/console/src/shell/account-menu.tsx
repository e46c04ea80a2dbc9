import { Avatar, Menu, NavLink, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { queryClient } from '../api/query-client.js';
import { leavePage } from '../api/session.js';
import { Icon } from '../ui/icons.js';
import { tellFailure } from '../ui/notices.js';
import { showHelp } from './help.js';

/** One's own account, the colours, and the way out. */
export function AccountMenu(): ReactElement {
  const { member } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = { light: 'dark', dark: 'auto', auto: 'light' } as const;
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <NavLink
          {...{ component: 'button', label: member.name, description: member.email }}
          leftSection={<Avatar {...{ name: member.name, size: 28, color: 'indigo' }} alt="" />}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/me" leftSection={<Icon name="me" size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="keyboard" size={16} />} onClick={showHelp}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name={colorScheme === 'dark' ? 'moon' : 'sun'} size={16} />}
          onClick={() => setColorScheme(next[colorScheme])}
          closeMenuOnClick={false}
        >
          Colours: {colorScheme === 'auto' ? 'as the system' : colorScheme}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Ends the session; at a provider that offers it, the one there too. */
export async function signOut(): Promise<void> {
  leavePage(true);
  await queryClient.cancelQueries();
  try {
    const { signOutUrl } = await api.delete<{ signOutUrl?: string }>('/session');
    location.assign(signOutUrl ?? '/sign-in');
  } catch (error) {
    leavePage(false);
    tellFailure(error, () => void signOut());
  }
}
