import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { accountQuery } from '../api/account.js';
import { queryClient } from '../api/query-client.js';
import { lazyPage, type PageLoader } from '../shell/lazy-page.js';
import { shellRoute } from '../shell/root-route.js';

const layoutRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings-layout.js'), 'SettingsLayout'),
});

type Given = Readonly<Record<string, unknown>>;

/** The outcome of a consent: `GET /settings/api/oauth/callback` ends here with it. */
const consentSearch = ({ consent, mailbox }: Given): { consent?: string; mailbox?: string } => ({
  ...(typeof consent === 'string' && { consent }),
  ...(typeof mailbox === 'string' && { mailbox }),
});

const getParentRoute = (): typeof layoutRoute => layoutRoute;

const page = <const P extends string, N extends string>(path: P, load: PageLoader<N>, name: N) =>
  createRoute({ getParentRoute, path, component: lazyPage(load, name) });

// Made within the call of addChildren, a route has the type any, and every route with it.
const pages = [
  createRoute({
    getParentRoute,
    path: '/',
    beforeLoad: async (): Promise<void> => {
      const { member } = await queryClient.query({
        ...accountQuery,
        staleTime: 'static',
      });
      const to = member.role === 'admin' ? '/settings/people' : '/settings/signatures';
      redirect({ to, replace: true, throw: true });
    },
  }),
  page('people', () => import('./people/people-page.js'), 'PeoplePage'),
  createRoute({
    getParentRoute,
    path: 'mailboxes',
    validateSearch: consentSearch,
    component: lazyRouteComponent(() => import('./mailboxes/mailboxes-page.js'), 'MailboxesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'mailboxes/$mailboxId',
    validateSearch: ({ connect }: Given): { connect?: true } =>
      connect === true ? { connect } : {},
    component: lazyRouteComponent(() => import('./mailboxes/mailbox-page.js'), 'MailboxPage'),
  }),
  page('domains', () => import('./domains/domains-page.js'), 'DomainsPage'),
  page('signatures', () => import('./signatures/signatures-page.js'), 'SignaturesPage'),
  page('safety', () => import('./safety/safety-page.js'), 'SafetyPage'),
  page('sign-in', () => import('./sign-in/sign-in-page.js'), 'SignInPage'),
  page('workspace', () => import('./workspace/workspace-page.js'), 'WorkspacePage'),
  page('assistants', () => import('./assistants/assistants-page.js'), 'AssistantsPage'),
  page('sandbox', () => import('./sandbox/sandbox-page.js'), 'SandboxPage'),
] as const;

export const settingsRoute = layoutRoute.addChildren([...pages]);
