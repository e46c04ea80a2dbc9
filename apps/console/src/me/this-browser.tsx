import {
  Button,
  Group,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { browserNotices } from '../shell/browser-notices.js';
import { setShortcuts, shortcutsAreOn } from '../shell/shortcuts.js';
import { Section } from '../ui/page.js';

/** Choices that are kept in this browser alone. */
export function ThisBrowser(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isOn, setIsOn] = useState(shortcutsAreOn);
  return (
    <Section title="This browser" about="Kept in this browser, and not for your other devices.">
      <Stack gap="md">
        <Group gap="sm">
          <Text size="sm" id="colours">
            Colours
          </Text>
          <SegmentedControl
            {...{ value: colorScheme, 'aria-labelledby': 'colours', size: 'xs' }}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'auto', label: 'As the system' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        </Group>
        <Switch
          {...{ label: 'Shortcuts of one key', checked: isOn }}
          description="Switch them off if you control the page by speech, or press keys by accident."
          onChange={({ currentTarget: { checked } }) => {
            setShortcuts(checked);
            setIsOn(checked);
          }}
        />
        <Notifications />
      </Stack>
    </Section>
  );
}

/** The browser asks for permission only once the button was pressed. */
function Notifications(): ReactElement {
  const [state, setState] = useState(browserNotices.state);
  const text = {
    on: 'This browser tells you of new approvals and of mail that is assigned to you.',
    off: 'This browser can tell you of new approvals and of mail that is assigned to you.',
    denied: 'The browser forbids notifications of this site. Allow them in its settings first.',
    missing: 'This browser has no notifications.',
  }[state];
  return (
    <Group justify="space-between" wrap="wrap">
      <Text size="sm" flex={1} miw={200}>
        {text}
      </Text>
      {state === 'off' && (
        <Button
          variant="default"
          size="xs"
          onClick={() => void browserNotices.turnOn().then(setState)}
        >
          Turn on notifications
        </Button>
      )}
      {state === 'on' && (
        <Button variant="default" size="xs" onClick={() => setState(browserNotices.turnOff())}>
          Turn off notifications
        </Button>
      )}
    </Group>
  );
}
