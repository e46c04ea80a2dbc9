import type { Calendar, CalendarFeedMade, CalendarRemoved } from '@postroom/contracts';
import { Alert, Button, Code, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { accountQuery, useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { AskDialog } from '../ui/ask-dialog.js';
import { CopyButton } from '../ui/copy-button.js';
import { ImportDialog } from '../ui/import-dialog.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { StackForm, useSubmit } from '../ui/submit.js';
import { calendarColours } from './calendars.js';

export type CalendarDialog =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'import' | 'feed' | 'remove'; readonly calendar: Calendar };

interface DialogProps {
  readonly dialog: CalendarDialog;
  readonly onClose: () => void;
}

/** The dialog that was chosen for a calendar. */
export function CalendarDialogs({ dialog, onClose }: DialogProps): ReactElement {
  const client = useQueryClient();
  const fresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: accountQuery.queryKey });
    await client.invalidateQueries({ queryKey: ['events'] });
  };
  if (dialog.kind === 'new') return <CalendarForm {...{ calendar: null, onClose, fresh }} />;
  const { calendar } = dialog;
  if (dialog.kind === 'edit') return <CalendarForm {...{ calendar, onClose, fresh }} />;
  if (dialog.kind === 'feed') return <Feed {...{ calendar, onClose }} />;
  if (dialog.kind === 'remove') return <Remove {...{ calendar, onClose, fresh }} />;
  return (
    <ImportDialog
      {...{ title: `Import into “${calendar.name}”`, path: `/calendars/${calendar.id}/import` }}
      {...{ types: { '.ics': 'text/calendar' }, entries: ['event', 'events'], onClose }}
      onDone={() => void fresh()}
    />
  );
}

interface PartProps {
  readonly calendar: Calendar;
  readonly onClose: () => void;
  readonly fresh: () => Promise<void>;
}

const blank: { name: string; color: string | null; scope: string } = {
  ...{ name: '', color: calendarColours[0] ?? null, scope: 'personal' },
};

function CalendarForm(
  props: Omit<PartProps, 'calendar'> & { calendar: Calendar | null },
): ReactElement {
  const { calendar, onClose, fresh } = props;
  const { member } = useAccount();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm({
    initialValues: { ...blank, ...(calendar && { name: calendar.name, color: calendar.color }) },
  });
  const submission = useSubmit(form, async ({ name, color, scope }) => {
    if (calendar) await api.patch(`/v1/calendars/${calendar.id}`, { name, color });
    else await api.post('/v1/calendars', { name, color, scope }, { idempotencyKey });
    await fresh();
    onClose();
  });
  return (
    <Modal opened onClose={onClose} title={calendar ? 'Name and colour' : 'Add a calendar'}>
      <StackForm {...{ form, submission }} label={calendar ? 'Save' : 'Add'}>
        <TextInput
          {...{ label: 'Name', maxLength: 80, required: true, 'data-autofocus': true }}
          {...form.getInputProps('name')}
        />
        <Colours {...form.getInputProps('color')} />
        {!calendar && member.role === 'admin' && (
          <Radio.Group label="Who sees it" {...form.getInputProps('scope')}>
            <Stack gap={6} mt={4}>
              <Radio value="personal" label="I alone" />
              <Radio value="shared" label="The whole workspace" />
            </Stack>
          </Radio.Group>
        )}
      </StackForm>
    </Modal>
  );
}

const Colours = (props: object): ReactElement => (
  <Radio.Group label="Colour" {...props}>
    <Group gap="xs" mt={4}>
      {calendarColours.map((colour, place) => (
        <Radio
          key={colour}
          {...{ value: colour, color: colour, 'aria-label': `Colour ${place + 1}` }}
          styles={{ radio: { borderColor: colour, background: colour } }}
        />
      ))}
    </Group>
  </Radio.Group>
);

function Feed({ calendar, onClose }: Omit<PartProps, 'fresh'>): ReactElement {
  const [url, setUrl] = useState<string | null>(null);
  const path = `/calendars/${calendar.id}/feed`;
  const make = (): void =>
    void api.post<CalendarFeedMade>(path, {}).then((made) => setUrl(made.url), tellFailure);
  const revoke = (): void =>
    void api.delete(path).then(() => {
      tellDone('The secret address shows nothing any more.');
      onClose();
    }, tellFailure);
  return (
    <Modal opened onClose={onClose} title={`Secret address of “${calendar.name}”`} size="lg">
      <Stack>
        <Text size="sm">
          Calendar programs read the calendar under it. Whoever knows it reads it too, without
          signing in. Making a new one ends the one before.
        </Text>
        {url !== null && (
          <Alert color="teal" title="It is shown this once">
            <Stack gap="xs" align="flex-start">
              <Code block w="100%">
                {url}
              </Code>
              <CopyButton value={url} label="Copy the address" />
            </Stack>
          </Alert>
        )}
        <Group justify="space-between">
          <Button variant="subtle" color="red" onClick={revoke}>
            Revoke the address
          </Button>
          {url === null && <Button onClick={make}>Make an address</Button>}
        </Group>
      </Stack>
    </Modal>
  );
}

const Remove = ({ calendar, onClose, fresh }: PartProps): ReactElement => (
  <AskDialog
    {...{ title: `Delete “${calendar.name}”`, confirm: 'Delete the calendar', onClose }}
    onConfirm={async () => {
      const path = `/v1/calendars/${calendar.id}`;
      const { deletedEvents } = await api.delete<CalendarRemoved>(path);
      tellDone(`“${calendar.name}” is deleted, with its ${deletedEvents} events.`);
      await fresh();
    }}
  >
    All its events are deleted with it. This cannot be undone.
  </AskDialog>
);
