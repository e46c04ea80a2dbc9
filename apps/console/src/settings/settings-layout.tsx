import { ScrollArea } from '@mantine/core';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { settingsPlaces } from '../shell/places.js';
import classes from './settings-layout.module.css';

/** The settings, a page for each kind, with the way between them. */
export function SettingsLayout(): ReactElement {
  const isAdmin = useAccount().member.role === 'admin';
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = links.current?.querySelector('[aria-current=page]');
    current?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [path]);
  return (
    <>
      <ScrollArea type="never" className={classes.bar}>
        <nav ref={links} aria-label="Settings" className={classes.links}>
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
