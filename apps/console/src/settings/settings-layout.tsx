import { ScrollArea } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { settingsPlaces } from '../shell/places.js';
import classes from './settings-layout.module.css';

/** The settings, a page for each kind, with the way between them. */
export function SettingsLayout(): ReactElement {
  const isAdmin = useAccount().member.role === 'admin';
  return (
    <>
      <ScrollArea type="never" className={classes.bar}>
        <nav aria-label="Settings" className={classes.links}>
          {settingsPlaces
            .filter(({ adminOnly }) => !adminOnly || isAdmin)
            .map(({ label, to }) => (
              <Link
                key={to}
                to={to}
                className={classes.link ?? ''}
                activeOptions={{ exact: false }}
              >
                {label}
              </Link>
            ))}
        </nav>
      </ScrollArea>
      <Outlet />
    </>
  );
}
