import type { ReactElement } from 'react';

/** Outlines on a grid of 24, drawn with the colour of the text. */
const outlines = {
  approvals: 'M9 12l2 2 4-4M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  inbox: 'M4 13h4l2 3h4l2-3h4M5.500 5h13l2.500 8v5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-5z',
  contacts:
    'M8 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2 20c0-3.500 2.500-6 6-6s6 2.500 6 6M16 4.500a3.500 3.500 0 0 1 0 6.500M18 14.500c2.500.800 4 3 4 5.500',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  tasks: 'M4 6l1.500 1.500L8 5M4 12l1.500 1.500L8 11M4 18l1.500 1.500L8 17M11 6h9M11 12h9M11 18h9',
  key: 'M14.500 9.500a4 4 0 1 1-2-3.460M12.500 11.500L4 20M7 17l2 2M5 19l1.500 1.500M15 9h.010',
  webhook:
    'M9 8a3 3 0 1 1 4.500 2.600L16 15M7.500 12.500A3 3 0 1 0 9 18h6M18 12.500a3 3 0 1 1-3.500 4',
  safety: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z',
  people: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.500-7 8-7s8 3 8 7',
  mailbox: 'M3 6h18v12H3zM3 7l9 6 9-6',
  audit: 'M6 3h9l4 4v14H6zM9 9h4M9 13h7M9 17h7',
  analytics: 'M4 20h16M7 20v-7M12 20V6M17 20v-10',
  start: 'M5 19l3-6 8-9c2-1 4 1 3 3l-9 8zM8 13l3 3',
  me: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c1-3.500 3.500-5.500 7-5.500s6 2 7 5.500',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500L20 20',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.500l4.500 4.500L19 7',
  cross: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.010',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.010',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  archive: 'M3 5h18v4H3zM5 9v10h14V9M10 13h4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  spam: 'M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 8v5M12 16h.010',
  snooze: 'M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 9v4l2.500 2M4 5l3-2M20 5l-3-2',
  reply: 'M9 6L4 11l5 5M4 11h9c4 0 7 2.500 7 7',
  forward: 'M15 6l5 5-5 5M20 11h-9c-4 0-7 2.500-7 7',
  comment: 'M4 5h16v11H11l-5 4v-4H4z',
  attach:
    'M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.500 3.500 0 0 1 5 5l-8.500 8.500a2 2 0 0 1-3-3L14 7',
  send: 'M21 3L3 10.500l7 3.500 3.500 7zM10 14l5-5',
  label: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500h.010',
  assign:
    'M10 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 20c0-3.500 3-6 7-6 1.500 0 3 .400 4 1M17 15v6M14 18h6',
  team: 'M12 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 13a2.500 2.500 0 1 0 0-5M18 13a2.500 2.500 0 1 1 0-5M7 20c0-3.500 2-6 5-6s5 2.500 5 6',
  unread: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  more: 'M6 12h.010M12 12h.010M18 12h.010',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  external: 'M13 5h6v6M19 5l-9 9M17 14v5H5V7h5',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  upload: 'M12 16V5M7 9l5-5 5 5M4 20h16',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z',
  eye: 'M2 12s3.500-6.500 10-6.500S22 12 22 12s-3.500 6.500-10 6.500S2 12 2 12zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  keyboard: 'M3 7h18v11H3zM7 11h.010M11 11h.010M15 11h.010M8 15h8',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5l11 7-11 7z',
  agent: 'M6 9h12v10H6zM12 9V5M12 4h.010M9.500 13v1.500M14.500 13v1.500M3 13v3M21 13v3',
  settings:
    'M4 7h9M19 7h1M16 4.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM4 17h1M11 17h9M8 14.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  logout: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
} as const;

export type IconName = keyof typeof outlines;

/** An icon beside a text, or in a control that has a name of its own: screen readers pass over it. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }): ReactElement => (
  <svg
    {...{ width: size, height: size, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor' }}
    {...{ strokeWidth: 1.8, strokeLinecap: 'round', strokeLinejoin: 'round' }}
    aria-hidden="true"
    focusable="false"
  >
    <path d={outlines[name]} />
  </svg>
);
