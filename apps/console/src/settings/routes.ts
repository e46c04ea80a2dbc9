import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { accountQuery } from '../api/account.js';
import { queryClient } from '../api/query-client.js';
import { shellRoute } from '../shell/root-route.js';

const settingsRoute = createRoute({
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

const getParentRoute = (): typeof settingsRoute => settingsRoute;

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
  createRoute({
    getParentRoute,
    path: 'people',
    component: lazyRouteComponent(() => import('./people/people-page.js'), 'PeoplePage'),
  }),
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
  createRoute({
    getParentRoute,
    path: 'domains',
    component: lazyRouteComponent(() => import('./domains/domains-page.js'), 'DomainsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'signatures',
    component: lazyRouteComponent(
      () => import('./signatures/signatures-page.js'),
      'SignaturesPage',
    ),
  }),
  createRoute({
    getParentRoute,
    path: 'safety',
    component: lazyRouteComponent(() => import('./safety/safety-page.js'), 'SafetyPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'sign-in',
    component: lazyRouteComponent(() => import('./sign-in/sign-in-page.js'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'workspace',
    component: lazyRouteComponent(() => import('./workspace/workspace-page.js'), 'WorkspacePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'assistants',
    component: lazyRouteComponent(
      () => import('./assistants/assistants-page.js'),
      'AssistantsPage',
    ),
  }),
  createRoute({
    getParentRoute,
    path: 'sandbox',
    component: lazyRouteComponent(() => import('./sandbox/sandbox-page.js'), 'SandboxPage'),
  }),
] as const;

export const settingsRoutes = [settingsRoute.addChildren([...pages])] as const;
