import type { OidcFault } from '../../access/index.js';

/** The status and the words that answer a sign-in without a session. */
export const oidcFaults: Readonly<
  Record<OidcFault, { readonly status: number; readonly says: string }>
> = {
  unknown_workspace: {
    status: 404,
    says: 'No single workspace signs in with a provider under this name or address. Ask your administrator for the link of your workspace.',
  },
  not_begun: {
    status: 400,
    says: 'This sign-in was not begun in this browser, is over, or took longer than ten minutes. Please begin again.',
  },
  refused: {
    status: 403,
    says: 'The sign-in was refused: the provider has turned it down, or its answer is not valid. Please begin again.',
  },
  not_a_member: {
    status: 403,
    says: 'The provider has not confirmed an email address of an active member of this workspace. Ask your administrator.',
  },
  down: {
    status: 503,
    says: 'The provider of your workspace does not answer at the moment. Please try again later; if your workspace keeps passwords, they work.',
  },
};
