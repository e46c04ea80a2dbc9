import { Avatar, Menu, NavLink, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { Icon } from '../ui/icons.js';
import { showHelp } from './help.js';
import { signOut } from './sign-out.js';

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
