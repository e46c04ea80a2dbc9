import { useMantineColorScheme, Kbd } from '@mantine/core';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { openNewMessage } from '../compose/open-composer.js';
import { Icon } from '../ui/icons.js';
import { useCommandsShown, type Command } from './commands.js';
import { FoundByText } from './found-by-text.js';
import { showHelp } from './help.js';
import { placesFor } from './places.js';
import { signOut } from './account-menu.js';

export const showPalette = (): void => spotlight.open();

/** Every place and command, and mail and contacts by their text: Ctrl K. */
export function Palette(): ReactElement {
  const [text, setText] = useState('');
  return (
    <Spotlight.Root
      {...{ query: text, onQueryChange: setText, shortcut: ['mod + K'], scrollable: true }}
      {...{ maxHeight: 440, clearQueryOnClose: true }}
    >
      <Spotlight.Search
        {...{ placeholder: 'Go to, do, or find …', 'aria-label': 'Search places and commands' }}
        leftSection={<Icon name="search" />}
      />
      <Spotlight.ActionsList>
        <Commands text={text} />
        <FoundByText text={text} />
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function Commands({ text }: { text: string }): ReactElement {
  const groups = [
    { label: 'This conversation', commands: useCommandsShown() },
    { label: 'Go to', commands: usePlaceCommands() },
    { label: 'Everywhere', commands: useCommandsOfEverywhere() },
  ];
  return (
    <>
      {groups.map(({ label, commands }) => {
        const found = commands.filter((one) => matches(one.label, text));
        return (
          found.length > 0 && (
            <Spotlight.ActionsGroup key={label} label={label}>
              {found.map((command) => (
                <CommandLine key={command.id} command={command} />
              ))}
            </Spotlight.ActionsGroup>
          )
        );
      })}
    </>
  );
}

const CommandLine = ({
  command: { label, icon, keys, run },
}: {
  command: Command;
}): ReactElement => (
  <Spotlight.Action
    {...{ label, onClick: run, leftSection: icon && <Icon name={icon} /> }}
    rightSection={keys?.split(' ').map((key) => (
      <Kbd key={key} size="xs">
        {key}
      </Kbd>
    ))}
  />
);

function usePlaceCommands(): readonly Command[] {
  const navigate = useNavigate();
  const { member } = useAccount();
  return placesFor(member.role).map(({ label, to, icon, key }) => ({
    ...{ id: to, label, icon, run: () => void navigate({ to }) },
    ...(key !== undefined && { keys: `g ${key}` }),
  }));
}

function useCommandsOfEverywhere(): readonly Command[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const go = (href: string) => () => void navigate({ href });
  return [
    { id: 'message', label: 'New message', icon: 'edit', run: () => openNewMessage() },
    { id: 'sent', label: 'Sent mail', icon: 'send', run: go('/inbox/sent') },
    { id: 'drafts', label: 'Drafts', icon: 'edit', run: go('/inbox/drafts') },
    {
      ...{ id: 'scheduled', label: 'Scheduled mail', icon: 'snooze' },
      run: go('/inbox/drafts?state=scheduled'),
    },
    { id: 'task', label: 'New task', icon: 'tasks', run: go('/tasks?new=true') },
    { id: 'event', label: 'New event', icon: 'calendar', run: go('/calendar?new=true') },
    { id: 'light', label: 'Light colours', icon: 'sun', run: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark colours', icon: 'moon', run: () => setColorScheme('dark') },
    { id: 'auto', label: 'Colours as the system', icon: 'sun', run: () => setColorScheme('auto') },
    { id: 'help', label: 'Show the shortcuts', icon: 'keyboard', keys: '?', run: showHelp },
    { id: 'sign-out', label: 'Sign out', icon: 'logout', run: () => void signOut() },
  ];
}

/** Each word of the text begins a word of the label. */
function matches(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/[\s-]+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.some((one) => one.startsWith(word)));
}
