import { useState, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { useInbox, type PickerKind } from '../inbox-state.js';
import { useLabels } from '../list/list-sources.js';
import { rowOf, type Row } from '../list/rows.js';
import { Picker, type Choice } from './picker.js';
import { snoozeChoices, snoozeFromText } from './snooze-choices.js';

interface PickerProps {
  readonly onClose: () => void;
}

/** The picker that a key or a button opened. */
export function OpenPicker({
  kind,
  onClose,
}: PickerProps & { kind: PickerKind | null }): ReactElement | null {
  const { targets } = useInbox();
  if (kind === null || targets.length === 0) return null;
  const Shown = {
    assign: AssignPicker,
    label: LabelPicker,
    status: StatusPicker,
    snooze: SnoozePicker,
    move: MovePicker,
  }[kind];
  return <Shown onClose={onClose} />;
}

/** The rows that the choice is about. */
function useTargetRows(): readonly Row[] {
  const { targets } = useInbox();
  return targets.flatMap((id) => rowOf(id) ?? []);
}

function AssignPicker({ onClose }: PickerProps): ReactElement {
  const { members, teams, member } = useAccount();
  const { change } = useInbox();
  const rows = useTargetRows();
  const others = members.filter(({ id }) => id !== member.id);
  const choices: Choice[] = [
    ...[member, ...others].map(({ id, name, email }) => ({
      ...{
        id,
        label: id === member.id ? `${name} (you)` : name,
        detail: email,
        icon: 'me' as const,
      },
      isSet: rows.every(({ assignee }) => assignee === email),
      run: () => change({ action: 'assign', assignee: email }),
    })),
    {
      ...{ id: 'nobody', label: 'Nobody', icon: 'cross' },
      isSet: rows.every(({ assignee }) => assignee === null),
      run: () => change({ action: 'assign', assignee: null }),
    },
    ...teams.map(({ id, name }) => ({
      ...{ id, label: name, detail: 'Team', icon: 'team' as const },
      isSet: rows.every(({ teamId }) => teamId === id),
      run: () => change({ action: 'assign', teamId: id }),
    })),
  ];
  if (rows.some(({ teamId }) => teamId !== null))
    choices.push({
      ...{ id: 'no-team', label: 'No team', icon: 'cross' },
      run: () => change({ action: 'assign', teamId: null }),
    });
  return <Picker {...{ choices, onClose }} title="Assign" placeholder="Member or team" />;
}

function LabelPicker({ onClose }: PickerProps): ReactElement {
  const { change } = useInbox();
  const rows = useTargetRows();
  const labels = useLabels([...new Set(rows.map(({ mailbox }) => mailbox))]);
  const choices = labels.map(({ label, conversations }) => {
    const isSet = rows.every((row) => row.labels.includes(label));
    const [add, remove] = isSet ? [[], [label]] : [[label], []];
    return {
      ...{ id: label, label, detail: String(conversations), icon: 'label' as const, isSet },
      run: () => change({ action: 'labels', add, remove }),
    };
  });
  const fromText = (text: string): Choice | null =>
    labels.some(({ label }) => label.toLowerCase() === text.toLowerCase())
      ? null
      : {
          ...{ id: 'new', label: `New label “${text.slice(0, 100)}”`, icon: 'plus' },
          run: () => change({ action: 'labels', add: [text.slice(0, 100)], remove: [] }),
        };
  return (
    <Picker {...{ choices, fromText, onClose }} title="Label" placeholder="Label, or a new one" />
  );
}

const statuses = [
  { id: 'open', label: 'Open', detail: 'somebody works on it' },
  { id: 'pending', label: 'Pending', detail: 'waits for the correspondent' },
  { id: 'closed', label: 'Closed', detail: 'done' },
] as const;

function StatusPicker({ onClose }: PickerProps): ReactElement {
  const { change } = useInbox();
  const rows = useTargetRows();
  const choices = statuses.map(({ id, label, detail }) => ({
    ...{ id, label, detail, icon: 'check' as const },
    isSet: rows.every(({ status }) => status === id),
    run: () => change({ action: 'assign', status: id }),
  }));
  return <Picker {...{ choices, onClose }} title="Status" placeholder="Open, pending or closed" />;
}

function SnoozePicker({ onClose }: PickerProps): ReactElement {
  const { change } = useInbox();
  const rows = useTargetRows();
  const isSnoozed = rows.some(({ snoozedUntil }) => snoozedUntil !== null);
  const snooze = (until: Date): void => change({ action: 'snooze', until: until.toISOString() });
  const [now] = useState(() => new Date());
  const choices: Choice[] = snoozeChoices(now, snooze);
  if (isSnoozed)
    choices.unshift({
      ...{
        id: 'end',
        label: 'End the snooze',
        icon: 'cross',
        run: () => change({ action: 'unsnooze' }),
      },
    });
  return (
    <Picker
      {...{ choices, onClose, fromText: (text) => snoozeFromText(text, new Date(), snooze) }}
      title="Snooze for yourself until"
      placeholder="When: 3 days, tomorrow 9am, 2026-12-24 09:00"
      nothing="Write it as “3 days”, “tomorrow 9am” or “2026-12-24 09:00”."
    />
  );
}

const places = [
  { id: 'inbox', label: 'Inbox', icon: 'inbox' },
  { id: 'archived', label: 'Archive', icon: 'archive' },
  { id: 'spam', label: 'Spam', icon: 'spam' },
  { id: 'trash', label: 'Trash', icon: 'trash' },
] as const;

function MovePicker({ onClose }: PickerProps): ReactElement {
  const { change } = useInbox();
  const rows = useTargetRows();
  const choices = places.map((place) => ({
    ...place,
    isSet: rows.every(({ placement }) => placement === place.id),
    run: () => change({ action: 'move', placement: place.id }),
  }));
  return (
    <Picker {...{ choices, onClose }} title="Move to" placeholder="Inbox, archive, spam or trash" />
  );
}
