import { Group, Paper, Table, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { AnalyticsAnswer } from '@postroom/contracts';
import { scaleLinear, scalePoint } from 'd3-scale';
import { area, curveMonotoneX, line } from 'd3-shape';
import { useState, type ReactElement } from 'react';
import classes from './analytics.module.css';

type Day = AnalyticsAnswer['summary']['volumes']['byDay'][number];

const height = 240;
const margin = { top: 12, right: 12, bottom: 28, left: 40 };
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Messages received and sent by day. The table beside it says the same in words. */
export function DayChart({ days }: { days: readonly Day[] }): ReactElement {
  const { ref, width } = useElementSize();
  const [shown, setShown] = useState<Day | null>(null);
  const total = days.reduce((sum, { received, sent }) => sum + received + sent, 0);
  return (
    <Paper withBorder p="sm">
      <Group gap="md" mb={4} mih={22}>
        <Key className={classes.receivedKey ?? ''} text="Received" />
        <Key className={classes.sentKey ?? ''} text="Sent" />
        <Text size="sm" c="dimmed" ml="auto">
          {shown
            ? `${dayOf(shown)}: ${shown.received} received, ${shown.sent} sent`
            : total === 0 && 'No messages in this period'}
        </Text>
      </Group>
      <div ref={ref}>{width > 0 && <Plot {...{ days, width, shown }} onShow={setShown} />}</div>
    </Paper>
  );
}

const Key = (props: { className: string; text: string }): ReactElement => (
  <Group gap={6}>
    <span className={props.className} aria-hidden="true" />
    <Text size="sm">{props.text}</Text>
  </Group>
);

const dayOf = ({ date }: Day): string => shortDay.format(new Date(date));

function Plot(props: {
  days: readonly Day[];
  width: number;
  shown: Day | null;
  onShow: (day: Day | null) => void;
}): ReactElement {
  const { days, width, shown, onShow } = props;
  const most = Math.max(1, ...days.map(({ received, sent }) => Math.max(received, sent)));
  const x = scalePoint(
    days.map(({ date }) => date),
    [margin.left, width - margin.right],
  );
  const y = scaleLinear([0, most], [height - margin.bottom, margin.top]).nice(4);
  const at = ({ date }: Day): number => x(date) ?? 0;
  const lineOf = (name: 'received' | 'sent'): string =>
    line<Day>(at, (day) => y(day[name])).curve(curveMonotoneX)(days) ?? '';
  const filled = area<Day>(at, y(0), ({ received }) => y(received)).curve(curveMonotoneX)(days);
  const whole = y.ticks(4).filter(Number.isInteger);
  return (
    <svg
      {...{ width, height, role: 'img' }}
      aria-label={`Messages by day, ${days.length} days, at most ${most} a day. The table has each day.`}
      onPointerMove={({ nativeEvent }) => onShow(nearest(days, at, nativeEvent.offsetX))}
      onPointerLeave={() => onShow(null)}
    >
      {whole.map((tick) => (
        <g key={tick}>
          <line
            className={classes.grid}
            x1={margin.left}
            x2={width - margin.right}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text
            className={classes.tick}
            x={margin.left - 8}
            y={y(tick)}
            dy="0.32em"
            textAnchor="end"
          >
            {tick.toLocaleString('en')}
          </text>
        </g>
      ))}
      {labelled(days, width).map((day) => (
        <text
          className={classes.tick}
          key={day.date}
          x={at(day)}
          y={height - 8}
          textAnchor="middle"
        >
          {dayOf(day)}
        </text>
      ))}
      <path className={classes.area} d={filled ?? ''} />
      <path className={classes.received} d={lineOf('received')} />
      <path className={classes.sent} d={lineOf('sent')} />
      {shown && (
        <g>
          <line
            className={classes.cursor}
            x1={at(shown)}
            x2={at(shown)}
            y1={margin.top}
            y2={y(0)}
          />
          <circle className={classes.receivedDot} cx={at(shown)} cy={y(shown.received)} r={4} />
          <circle className={classes.sentDot} cx={at(shown)} cy={y(shown.sent)} r={4} />
        </g>
      )}
    </svg>
  );
}

/** The days below which there is room for their names. */
function labelled(days: readonly Day[], width: number): readonly Day[] {
  const step = Math.max(1, Math.ceil(days.length / Math.max(2, Math.floor(width / 90))));
  const first = Math.floor(step / 2);
  return days.filter((_, i) => i % step === first);
}

const nearest = (days: readonly Day[], at: (day: Day) => number, left: number): Day | null =>
  days.reduce<Day | null>(
    (best, day) =>
      best === null || Math.abs(at(day) - left) < Math.abs(at(best) - left) ? day : best,
    null,
  );

/** Every day of the period, the latest first. */
export const DayTable = ({ days }: { days: readonly Day[] }): ReactElement => (
  <Table.ScrollContainer
    {...{ minWidth: 320, mah: 480, tabIndex: 0, role: 'region', type: 'native' }}
    aria-label="Messages by day"
  >
    <Table stickyHeader striped>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day</Table.Th>
          <Table.Th ta="right">Received</Table.Th>
          <Table.Th ta="right">Sent</Table.Th>
          <Table.Th ta="right">New conversations</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.toReversed().map(({ date, received, sent, newConversations }) => (
          <Table.Tr key={date}>
            <Table.Th scope="row" fw={400}>
              {date}
            </Table.Th>
            <Table.Td ta="right">{received.toLocaleString('en')}</Table.Td>
            <Table.Td ta="right">{sent.toLocaleString('en')}</Table.Td>
            <Table.Td ta="right">{newConversations.toLocaleString('en')}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
