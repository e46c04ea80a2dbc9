import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import classes from '../inbox.module.css';
import type { View } from '../search-params.js';
import { countOf, viewNames } from './view-names.js';

const shown = ['mine', 'unassigned', 'all'] as const;

/** The three views of daily work, side by side. */
export function ViewTabs({ view }: { view: View }): ReactElement {
  const account = useAccount();
  return (
    <nav className={classes.tabs} aria-label="Views">
      {shown.map((one) => {
        const count = countOf(account, one);
        return (
          <Link
            key={one}
            {...{ to: '/inbox/$view', params: { view: one }, search: {}, className: classes.tab }}
            aria-current={view === one ? 'page' : undefined}
          >
            {viewNames[one]}
            {count !== null && count > 0 && <span className={classes.count}>{count}</span>}
          </Link>
        );
      })}
    </nav>
  );
}
