import { Group, Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core';
import { useState, useSyncExternalStore, type ReactElement } from 'react';
import { currentShortcuts, setShortcuts, shortcutsAreOn } from './shortcuts.js';

let isShown = false;
const listeners = new Set<() => void>();

const set = (value: boolean): void => {
  isShown = value;
  for (const listener of listeners) listener();
};

export const showHelp = (): void => set(true);

/** All shortcuts of what is shown, under `?`. */
export function Help(): ReactElement {
  const opened = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isShown,
  );
  return (
    <Modal opened={opened} onClose={() => set(false)} title="Keyboard shortcuts" size="lg">
      {opened && <ShortcutList />}
    </Modal>
  );
}

function ShortcutList(): ReactElement {
  const [isOn, setIsOn] = useState(shortcutsAreOn);
  return (
    <Stack>
      <Table>
        <Table.Tbody>
          {currentShortcuts().map(({ keys, label }) => (
            <Table.Tr key={keys}>
              <Table.Td w={120}>
                <Group gap={4}>
                  {keys.split(' ').map((key, i) => (
                    <Kbd key={i}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{label}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td>
              <Kbd>Ctrl</Kbd> <Kbd>K</Kbd>
            </Table.Td>
            <Table.Td>Search and commands</Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Switch
        {...{ label: 'Shortcuts of one key', checked: isOn }}
        onChange={({ currentTarget: { checked } }) => {
          setShortcuts(checked);
          setIsOn(checked);
        }}
      />
      <Text size="sm" c="dimmed">
        Switch them off if you control the page by speech, or press keys by accident.
      </Text>
    </Stack>
  );
}
