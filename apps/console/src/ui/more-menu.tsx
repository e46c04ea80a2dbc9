import { ActionIcon, Menu, type MenuProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from './icons.js';

/** The commands that are seldom wanted of a thing, behind three dots. */
export const MoreMenu = ({
  label,
  children,
  ...menu
}: MenuProps & { label: string }): ReactElement => (
  <Menu position="bottom-end" {...menu}>
    <Menu.Target>
      <ActionIcon {...{ variant: 'subtle', color: 'gray' }} aria-label={label}>
        <Icon name="more" size={16} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);
