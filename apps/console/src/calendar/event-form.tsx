import type { EventAnswer } from '@postroom/contracts';
import { Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { fieldErrorsOf } from '../api/problem.js';
import { useAccount } from '../api/account.js';
import { isVersionConflict, useEdits } from '../ui/conflict.js';
import { tellDone } from '../ui/notices.js';
import { ErrorState } from '../ui/states.js';
import { browserZone } from '../ui/time.js';
import { Availability } from './availability.js';
import { EventDetails } from './event-details.js';
import type { Happening } from './event-query.js';
import { EventTimes } from './event-times.js';
import {
  eventChanges,
  eventLabels,
  eventValues,
  timeFault,
  type EventValues,
  type Planned,
} from './event-values.js';
import type { Times } from './moving.js';
import { RemoveEvent } from './remove-event.js';
import { RepetitionField } from './repetition/repetition-field.js';
import { ScopeDialog, type Scope } from './scope-dialog.js';
import { atLatest, storeEvent } from './storing.js';

/** An event that is open, or the times of a new one. */
export type OpenEvent =
  | { readonly happening: Happening; readonly times?: never; readonly threadId?: never }
  | { readonly times: Times; readonly threadId?: string; readonly happening?: never };

/** An event in full, or a new one. */
export function EventDrawer({ of, onClose }: { of: OpenEvent; onClose: () => void }): ReactElement {
  const { calendars } = useAccount();
  const { happening } = of;
  const event: Planned = happening
    ? { ...happening.event, startMs: happening.startMs, endMs: happening.endMs }
    : { ...blank, ...of.times, calendarId: calendars[0]?.id ?? '' };
  return (
    <Drawer
      {...{ opened: true, onClose, position: 'right', size: 'lg', closeOnClickOutside: false }}
      title={happening ? 'Event' : 'New event'}
    >
      <EventForm {...{ event, happening: happening ?? null, onClose, threadId: of.threadId }} />
    </Drawer>
  );
}

const blank = {
  ...{ title: '', timeZone: browserZone, recurrence: null, attendees: [], location: '' },
  ...{ conferenceLink: null, reminders: [], description: '', busy: true },
};

interface FormProps {
  readonly event: Planned;
  /** Null for a new event. */
  readonly happening: Happening | null;
  readonly threadId?: string | undefined;
  readonly onClose: () => void;
}

const fieldOfServer: Readonly<Record<string, string>> = { startMs: 'startDate', endMs: 'endDate' };

/** All of an event, to be written or changed; a change is from the version that was opened. */
export function EventForm({ event, happening, threadId, onClose }: FormProps): ReactElement {
  const editing = useEditing({ event, happening, threadId, onClose });
  const { form, opened, changed, notice, failure, asks, setAsks } = editing;
  const { values } = form;
  return (
    <form onSubmit={editing.submit} noValidate>
      <Stack>
        {notice}
        {failure !== null && <ErrorState error={failure} />}
        <TextInput
          {...{ label: 'Title', maxLength: 200, withAsterisk: true, 'data-autofocus': true }}
          {...form.getInputProps('title')}
        />
        <EventTimes form={form} />
        {!values.allDay && happening === null && <Availability form={form} />}
        <RepetitionField
          {...{ value: values.recurrence, day: values.startDate, zone: values.timeZone }}
          onChange={(value) => form.setFieldValue('recurrence', value)}
          error={form.errors.recurrence as string | undefined}
        />
        <EventDetails {...{ form, isNew: happening === null }} />
        <Group justify="space-between">
          {opened ? <RemoveEvent {...{ happening: opened, onClose }} /> : <span />}
          <Button
            {...{ type: 'submit', loading: form.submitting }}
            disabled={happening !== null && changed.length === 0}
          >
            {happening ? 'Save' : 'Add the event'}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          Nobody is sent mail about it.
        </Text>
      </Stack>
      {asks && (
        <ScopeDialog
          {...{
            title: 'Change the series',
            onChoose: editing.store,
            onClose: () => setAsks(false),
          }}
          needsSeries={changed.some((field) => ['recurrence', 'reminders'].includes(field))}
        />
      )}
    </form>
  );
}

function useEditing({ event, happening, threadId, onClose }: FormProps) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const [asks, setAsks] = useState(false);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const form = useForm<EventValues>({
    initialValues: eventValues(event),
    validate: {
      title: (title) => (title.trim() === '' ? 'Give it a title.' : null),
      endDate: (_, values) => timeFault(values),
    },
  });
  const plannedOf = (one: Happening | null): Planned =>
    one ? { ...one.event, startMs: one.startMs, endMs: one.endMs } : event;
  const edits = useEdits(form, happening, (one) => eventValues(plannedOf(one)), eventLabels);
  const { opened, changed } = edits;
  const create = (values: EventValues): Promise<EventAnswer> => {
    const body = eventChanges(values, Object.keys(values), null);
    const { calendarId } = values;
    return api.post('/v1/calendar-events', { ...body, calendarId, threadId }, { idempotencyKey });
  };
  const refused = async (error: unknown): Promise<void> => {
    if (!opened || !isVersionConflict(error)) {
      const faults = Object.entries(fieldErrorsOf(error));
      form.setErrors(
        Object.fromEntries(faults.map(([field, text]) => [fieldOfServer[field] ?? field, text])),
      );
      return setFailure(error);
    }
    const answer = await api.get<EventAnswer>(`/v1/calendar-events/${opened.event.id}`);
    edits.meet(atLatest(opened, answer.event));
  };
  const store = async (scope: Scope | null): Promise<void> => {
    const { values } = form;
    setAsks(false);
    setFailure(null);
    try {
      if (opened) await storeEvent(opened, plannedOf(opened), values, { changed, scope });
      else await create(values);
      await client.invalidateQueries({ queryKey: ['events'] });
      tellDone(opened ? 'Saved.' : 'The event is in the calendar.');
      onClose();
    } catch (error) {
      await refused(error);
    }
  };
  const submit = form.onSubmit(async () => {
    if (opened?.event.recurrence) setAsks(true);
    else await store(null);
  });
  return {
    ...{ form, opened, changed, notice: edits.notice, failure, asks, setAsks, submit },
    store: (scope: Scope | null) => void store(scope),
  };
}
