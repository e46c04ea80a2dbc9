import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { openNewMessage } from '../compose/open-composer.js';
import { Icon } from '../ui/icons.js';
import { workPlaces, workspacePlaces } from './places.js';

export const showPalette = (): void => spotlight.open();

/** Every place and command, by Ctrl K. */
export function Palette(): ReactElement {
  const navigate = useNavigate();
  const { member } = useAccount();
  const actions: SpotlightActionData[] = [...workPlaces, ...workspacePlaces]
    .filter(({ adminOnly }) => !adminOnly || member.role === 'admin')
    .map(({ label, to, icon }) => ({
      id: to,
      label,
      leftSection: <Icon name={icon} />,
      onClick: () => void navigate({ to }),
    }));
  actions.unshift({
    ...{ id: 'new-message', label: 'New message', leftSection: <Icon name="edit" /> },
    onClick: () => openNewMessage(),
  });
  return (
    <Spotlight
      {...{ actions, shortcut: ['mod + K'], nothingFound: 'Nothing of that name', limit: 12 }}
      searchProps={{ placeholder: 'Go to, or do …', 'aria-label': 'Search places and commands' }}
    />
  );
}
